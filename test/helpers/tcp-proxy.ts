import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TcpProxy {
  readonly port: number
  /** Connections that it ended because nothing came through them. */
  readonly ended: number
  /** From now on nothing goes through, and no end either: as when a cable is cut. */
  swallow(): void
}

/**
 * Stands before a port, as a load balancer does.
 * @param patienceMs milliseconds without a byte from the server after which it ends a connection
 * @param onSent is shown what clients send
 */
export async function tcpProxy(
  target: number,
  patienceMs = Infinity,
  onSent: (bytes: Buffer) => void = () => {},
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isSwallowing = false
  let ended = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    const wait = (): void => {
      clearTimeout(timer)
      if (!Number.isFinite(patienceMs)) return
      timer = setTimeout(() => {
        ended++
        end()
      }, patienceMs)
    }
    wait()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        clearTimeout(timer)
        if (!isSwallowing) end()
      })
    }
    client.on('data', (part: Buffer) => {
      onSent(part)
      if (!isSwallowing) upstream.write(part)
    })
    upstream.on('data', (part: Buffer) => {
      // The control frames of WebSocket have a first byte of 0x89 or 0x8a: they are no sign of life for many a proxy.
      if (part[0] !== 0x89 && part[0] !== 0x8a) wait()
      if (!isSwallowing) client.write(part)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    get ended() {
      return ended
    },
    swallow: () => {
      isSwallowing = true
    },
  }
}
