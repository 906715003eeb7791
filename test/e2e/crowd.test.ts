import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { newDataDirectory, startServer } from '../helpers/server-process.ts'
import { awarenessFrame, readServerMessage } from '../helpers/sockets.ts'

const CLIENTS = 150

/** A client that counts the messages in which it is told who is there. */
class Watcher {
  readonly socket: WebSocket
  readonly client: number
  messages = 0
  /** The clock of each client, as it was told. */
  readonly clocks = new Map<number, number>()
  #until: { readonly holds: () => boolean; readonly resolve: () => void } | null = null

  constructor(socketUrl: string, client: number) {
    this.client = client
    this.socket = new WebSocket(`${socketUrl}/crowd?name=client-${client}`)
    this.socket.on('message', (data: Buffer) => {
      const message = readServerMessage(new Uint8Array(data))
      if (message.type !== 'awareness') return
      this.messages++
      for (const { client: who, clock } of message.states) this.clocks.set(who, clock)
      if (this.#until?.holds() === true) this.#until.resolve()
    })
  }

  announce(clock: number): void {
    this.socket.send(awarenessFrame({ client: this.client, clock, state: `{"name":"client ${this.client}"}` }))
  }

  /** Resolves when it was told of everybody with a clock. */
  async knowsAll(clock: number): Promise<void> {
    const holds = (): boolean =>
      this.clocks.size === CLIENTS && [...this.clocks.values()].every((told) => told >= clock)
    if (!holds()) await new Promise<void>((resolve) => (this.#until = { holds, resolve }))
  }
}

test('[11-F38] a crowd that announces itself at once is told of itself in a few messages, and so are its renewals', async () => {
  const { directory, remove } = await newDataDirectory()
  const server = await startServer(directory)
  onTestFinished(async () => {
    await server.kill9()
    await remove()
  })
  const crowd = Array.from({ length: CLIENTS }, (_, nth) => new Watcher(server.socketUrl, 1_000 + nth))
  await Promise.all(crowd.map(({ socket }) => once(socket, 'open')))
  for (const watcher of crowd) watcher.announce(1)
  await Promise.all(crowd.map((watcher) => watcher.knowsAll(1)))
  const announcing = crowd.map(({ messages }) => messages)
  // One by one they would be a message for each of the others.
  expect(Math.max(...announcing)).toBeLessThan(CLIENTS / 3)

  // Nothing is new but that they are still there.
  for (const watcher of crowd) watcher.announce(2)
  await Promise.all(crowd.map((watcher) => watcher.knowsAll(2)))
  for (const [nth, { messages }] of crowd.entries()) expect(messages - (announcing[nth] ?? 0)).toBeLessThan(5)

  // Who comes now is told of all.
  await new Watcher(server.socketUrl, 1_000).knowsAll(2)
})
