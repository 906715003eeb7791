import { rmSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { callTool, newDirectory, newServer } from '../cli/bin.ts'
import { WireClient } from '../helpers/clients.ts'
import { faultyDisk, hasFaultyDisk } from '../helpers/disk.ts'
import type { ServerProcess } from '../helpers/server-process.ts'

const T = 'plan'
/** Another process has to notice: it is asked again. */
const PATIENCE = { timeout: 20_000, interval: 50 }

async function heard(url: string, init?: RequestInit): Promise<[status: number, text: string]> {
  const answer = await fetch(url, init)
  return [answer.status, await answer.text()]
}
const add = ({ url }: ServerProcess, text: string) =>
  heard(`${url}/threads/${T}/tools/add_todos`, { method: 'POST', body: JSON.stringify({ steps: [text] }) })
const textsOf = async ({ url }: ServerProcess): Promise<string[]> => {
  const { steps } = (await (await fetch(`${url}/threads/${T}`)).json()) as { steps: { text: string }[] }
  return steps.map(({ text }) => text)
}
/** The log is written behind the server's back. */
const logs = (server: ServerProcess, line: RegExp) => vi.waitFor(() => expect(server.output()).toMatch(line), PATIENCE)
const ready = ({ url }: ServerProcess) => heard(`${url}/readyz`)

describe.skipIf(!hasFaultyDisk)('a disk without space', () => {
  test('[11-F10] is told by /readyz and the log; plans are read meanwhile, nobody is thrown out, and it goes on by itself', async () => {
    const disk = faultyDisk()
    const server = await newServer(disk.env)
    expect(await add(server, 'first')).toEqual([200, expect.any(String)])
    expect(await ready(server)).toEqual([200, '{"status":"ok"}'])
    disk.fill()
    // What finds it out was begun already, and nobody knows what came of it.
    expect(await add(server, 'second')).toEqual([503, expect.stringContaining('outcome is unknown')])
    expect(await ready(server)).toEqual([503, expect.stringContaining('The disk is full')])
    const client = WireClient.connect(server.socketUrl, T)
    await client.synced
    for (const text of ['third', 'fourth'])
      expect(await add(server, text)).toEqual([
        503,
        expect.stringMatching(/storage-unwritable.*full.*Nothing was changed/),
      ])
    for (const [path, method] of [
      [`/threads/new`, 'PUT'],
      [`/threads/${T}`, 'DELETE'],
    ] as const)
      expect(await heard(server.url + path, { method })).toEqual([503, expect.stringContaining('Nothing was changed')])
    expect(await textsOf(server)).toEqual(['first'])
    expect(client.socket.readyState).toBe(client.socket.OPEN)

    disk.mend()
    await vi.waitFor(async () => expect((await ready(server))[0]).toBe(200), PATIENCE)
    expect(await add(server, 'fifth')).toEqual([200, expect.any(String)])
    expect(await textsOf(server)).toEqual(['first', 'fifth'])
    await client.close()
    await logs(server, /the disk is written again/)
    expect(server.output().match(/Nothing can be written: The disk is full/g)).toHaveLength(1)
  })

  test('[11-F10] is told before it is full', async () => {
    const disk = faultyDisk()
    const server = await newServer(disk.env)
    expect(await ready(server)).toEqual([200, '{"status":"ok"}'])
    disk.nearlyFill()
    const warned = JSON.stringify({ status: 'ok', warning: 'The disk is nearly full: 100 MiB are free.' })
    await vi.waitFor(async () => expect(await ready(server)).toEqual([200, warned]), PATIENCE)
    await logs(server, /"level":40.*The disk is nearly full/)
    expect(await add(server, 'still kept')).toEqual([200, expect.any(String)])
  })
})

describe('a data directory that is deleted under the server', () => {
  test('[11-F12] is noticed at the next commit: what would be lost is not acknowledged', async () => {
    const directory = await newDirectory()
    const server = await newServer({}, directory)
    await callTool(server.url, T, 'add_todos', { steps: ['first'] })
    rmSync(directory, { recursive: true })
    expect((await add(server, 'second'))[0]).toBe(503)
    expect(await add(server, 'third')).toEqual([503, expect.stringMatching(/deleted or replaced.*Nothing was changed/)])
    expect(await ready(server)).toEqual([503, expect.stringContaining('deleted or replaced')])
    expect(await textsOf(server)).toEqual(['first'])
    await logs(server, /Nothing can be written: The data directory was deleted or replaced/)
  })

  test('[11-F12] is noticed without one too', async () => {
    const directory = await newDirectory()
    const server = await newServer({}, directory)
    rmSync(directory, { recursive: true })
    await vi.waitFor(async () => expect((await ready(server))[0]).toBe(503), PATIENCE)
    await logs(server, /Nothing can be written/)
  })
})
