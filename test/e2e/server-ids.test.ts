import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as Y from 'yjs'
import { MAX_UPDATE_CLIENTS } from '../../shared/schema/limits.ts'
import { callTool, getPlan, WireClient } from '../helpers/clients.ts'
import { rawUpdate } from '../helpers/hostile-updates.ts'
import { newDataDirectory, type ServerProcess, startServer } from '../helpers/server-process.ts'
import { agent, addCall, stepTwoFrame, T, testRooms, textsIn, updateFrame, writeStep } from '../helpers/sockets.ts'

const THREAD = 'long-lived'
/** Threads are unloaded as soon as nobody uses them. */
const AT_ONCE = { PLANROOM_IDLE_SECONDS: '0' }

async function start(directory: string): Promise<ServerProcess> {
  const server = await startServer(directory, AT_ONCE)
  onTestFinished(async () => void (await server.kill9()))
  return server
}
async function directoryOf(): Promise<string> {
  const { directory, remove } = await newDataDirectory()
  onTestFinished(remove)
  return directory
}
const add = (server: ServerProcess, text: string) => callTool(server.url, THREAD, 'add_todos', { steps: [{ text }] })
async function connect(server: ServerProcess, doc = new Y.Doc()): Promise<WireClient> {
  const client = WireClient.connect(server.socketUrl, THREAD, { doc })
  onTestFinished(() => client.close())
  await client.synced
  return client
}
const idsIn = (doc: Y.Doc): number[] => [...doc.store.clients.keys()]

describe('[11-F20] the client ids of the server', () => {
  test('a thread that is opened for each of 60 calls has one, and one more after the server was started anew', async () => {
    const directory = await directoryOf()
    let server = await start(directory)
    for (let nth = 0; nth < 60; nth++) await add(server, `step ${nth}`)
    const before = await connect(server)
    expect(textsIn(before.doc)).toHaveLength(60)
    expect(idsIn(before.doc)).toHaveLength(1)
    await before.close()
    await server.stop()
    server = await start(directory)
    for (let nth = 0; nth < 20; nth++) await add(server, `later ${nth}`)
    const after = await connect(server)
    expect(textsIn(after.doc)).toHaveLength(80)
    expect(idsIn(after.doc)).toHaveLength(2)
    expect(idsIn(after.doc)).toContain(idsIn(before.doc)[0])
  })

  test('[RL-57] put back to an older copy: a client brings what the server wrote since, and both go on', async () => {
    const directory = await directoryOf()
    const yesterday = join(await directoryOf(), 'copy')
    let server = await start(directory)
    await add(server, 'a')
    await server.stop()
    await cp(directory, yesterday, { recursive: true })

    server = await start(directory)
    await add(server, 'b, by the server')
    const first = await connect(server)
    await first.write((doc) => writeStep(doc, 'c, by the client'))
    await add(server, 'd, by the server')
    await first.until((doc) => textsIn(doc).length === 4)
    await server.stop()

    server = await start(yesterday)
    await add(server, 'e, after the copy was put back')
    const again = await connect(server, first.doc)
    await again.until((doc) => textsIn(doc).length === 5)
    await again.write((doc) => writeStep(doc, 'f, by the client'))
    await add(server, 'g, by the server')
    await again.until((doc) => textsIn(doc).length === 7)
    const told = (await getPlan(server.url, THREAD)).steps.map(({ text }) => text)
    expect(textsIn(again.doc)).toEqual(told)
    expect(new Set(told.map((text) => text[0]))).toEqual(new Set('abcdefg'))
  })

  test('a storage that failed, or that has less than was there before, is written under a new one', async () => {
    const { rooms, storage, memory } = testRooms(0)
    const idOf = (): Promise<number[]> =>
      rooms.use(T, async (room) => {
        await room.call(addCall('a step', agent('ada')))
        const stored = await memory.open(T)
        const doc = new Y.Doc()
        for (const update of [stored?.snapshot, ...(stored?.updates ?? [])]) if (update) Y.applyUpdate(doc, update)
        return idsIn(doc)
      })
    expect(await idOf()).toHaveLength(1)
    expect(await idOf()).toHaveLength(1)
    storage.failNextAppend(new Error('disk'))
    await expect(rooms.use(T, (room) => room.call(addCall('lost')))).rejects.toThrow('The outcome is unknown')
    expect(await idOf()).toHaveLength(2)
    expect(await idOf()).toHaveLength(2)
  })
})

describe('[11-F20] what an update may bring', () => {
  /** Deleted elements of so many clients, from a first one on. */
  const clients = (from: number, count: number): Uint8Array =>
    rawUpdate(
      Array.from({ length: count }, (_, nth) => ({
        client: from + nth,
        structs: [
          { ...(nth === 0 ? { parent: 'outline' } : { origin: [from + nth - 1, 0] }), content: { deleted: 1 } },
        ],
      })),
      Array.from({ length: count }, (_, nth) => ({ client: from + nth, ranges: [[0, 1]] })),
    )

  test('a plan with more client ids than one update may bring takes whole copies of itself, and no forged ones', async () => {
    const server = await start(await directoryOf())
    const client = await connect(server)
    const half = MAX_UPDATE_CLIENTS / 2 + 1
    for (const from of [1, 1 + half]) {
      Y.applyUpdate(client.doc, clients(from, half))
      await client.write((doc) => writeStep(doc, `up to ${from + half}`))
    }
    expect(idsIn(client.doc).length).toBeGreaterThan(MAX_UPDATE_CLIENTS)
    // All that it has, as a client that was offline brings it.
    const copy = await connect(server, client.doc)
    const step = writeStep(copy.doc, 'in a whole copy')
    copy.send(stepTwoFrame(Y.encodeStateAsUpdate(copy.doc)))
    await copy.acknowledged()
    expect((await getPlan(server.url, THREAD)).steps.map(({ id }) => id)).toContain(step)

    copy.send(updateFrame(clients(1_000_000, MAX_UPDATE_CLIENTS + 1)))
    expect(await copy.closed).toEqual({
      code: 4422,
      reason: `The update names too many new client ids (at most ${MAX_UPDATE_CLIENTS}).`,
    })
  })
})
