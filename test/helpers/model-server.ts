import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** What a stand-in for a model was asked. */
export interface Asked {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface ModelServer {
  readonly url: string
  /** In the order in which they came. */
  readonly asked: readonly Asked[]
}

/**
 * A model that says what it is told to: the first request gets the first answer, and so on.
 * @param answers make what the provider's API would send, each when its turn has come
 */
export async function startModel(answers: readonly (() => object | Promise<object>)[]): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const reply = async (): Promise<void> => {
      const body = JSON.parse(await text(request)) as Asked['body']
      const turn = asked.push({ path: request.url ?? '', body })
      const said = await answers[turn - 1]?.()
      response.writeHead(said === undefined ? 400 : 200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(said ?? { error: { message: 'Nothing is left to say.' } }))
    }
    reply().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
