import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

export interface Proxy {
  readonly url: string
  /** The addresses that were asked for. */
  readonly asked: string[]
  /** The tokens that were brought, as subprotocols; null for none. */
  readonly tokens: (string | null)[]
  /** Closes all connections with a code. */
  close(code: number, reason: string): void
}

/** What becomes of a connection at once, or of a frame that a client sends: a code to close with, or null. */
export interface Manners {
  readonly greet?: (count: number, address: URL, token: string | null) => number | null
  readonly judge?: (frame: Buffer) => number | null
  /** Whether a frame of the server goes on to the client; otherwise it is lost. */
  readonly passes?: (frame: Buffer) => boolean
}

/** Stands between clients and a server (or instead of one), and treats them as the test says. */
export async function proxy(target: string | null, manners: Manners): Promise<Proxy> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const asked: string[] = []
  const tokens: (string | null)[] = []
  server.on('connection', (client, request) => {
    const path = request.url ?? ''
    asked.push(path)
    client.on('error', () => {})
    const token = /planroom\.bearer\.([^\s,]+)/.exec(request.headers['sec-websocket-protocol'] ?? '')?.[1] ?? null
    tokens.push(token)
    const code = manners.greet?.(asked.length, new URL(path, 'http://x'), token) ?? null
    if (code !== null || target === null) return client.close(code ?? 1013, 'as the test says')
    const upstream = new WebSocket(`${target.replace(/^http/, 'ws')}${path}`)
    const early: Buffer[] = []
    upstream.on('error', () => client.close(1013))
    upstream.on('open', () => {
      for (const frame of early.splice(0)) upstream.send(frame)
    })
    upstream.on('message', (data: Buffer) => {
      if (manners.passes?.(data) !== false && client.readyState === WebSocket.OPEN) client.send(data)
    })
    upstream.on('close', (closed, reason) => {
      if (client.readyState === WebSocket.OPEN) client.close(closed === 1006 ? 1013 : closed, reason.toString())
    })
    client.on('message', (data: Buffer) => {
      const refusal = manners.judge?.(data) ?? null
      if (refusal !== null) {
        client.close(refusal, 'as the test says')
        return upstream.terminate()
      }
      if (upstream.readyState === WebSocket.OPEN) upstream.send(data)
      else early.push(data)
    })
    client.on('close', () => upstream.terminate())
  })
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    tokens,
    close: (code, reason) => {
      for (const client of server.clients) client.close(code, reason)
    },
  }
}
