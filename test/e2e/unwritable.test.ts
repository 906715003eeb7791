import { chmodSync, chownSync, closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callTool, newDirectory } from '../cli/bin.ts'
import { faultyDisk, hasFaultyDisk } from '../helpers/disk.ts'
import { runServer, type ServerProcess, startServer } from '../helpers/server-process.ts'

const T = 'plan'
/** Whom rights count for: not the administrator. */
const user = process.getuid?.() === 0 ? 65_534 : undefined

/** A data directory with one plan, whose server has ended, or was cut. */
async function withPlan(isCut = false): Promise<string> {
  const directory = await newDirectory()
  const server = await startServer(directory)
  await callTool(server.url, T, 'add_todos', { steps: ['kept'] })
  await (isCut ? server.kill9() : server.stop())
  return directory
}
function giveAway(directory: string): void {
  if (user !== undefined) for (const path of [directory, ...filesIn(directory)]) chownSync(path, user, user)
}
const filesIn = (directory: string): string[] => readdirSync(directory).map((name) => join(directory, name))

async function expectReadable(server: ServerProcess, why: RegExp): Promise<void> {
  onTestFinished(async () => void (await server.kill9()))
  const answer = await fetch(`${server.url}/threads/${T}`)
  expect(await answer.json()).toMatchObject({ steps: [{ text: 'kept' }] })
  const list = await fetch(`${server.url}/threads/${T}/tools/list_todos`, { method: 'POST', body: '{}' })
  expect(list.status).toBe(200)
  const ready = await fetch(`${server.url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(why)])
  const body = JSON.stringify({ steps: ['not kept'] })
  const refused = await fetch(`${server.url}/threads/${T}/tools/add_todos`, { method: 'POST', body })
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringMatching(/Nothing was changed/)])
}

describe('where only writing is impossible', () => {
  test.each([
    ['that ended', false],
    ['that was cut', true],
  ])('[11-F11] a data directory that can only be read, of a server %s: its plans are read', async (_name, isCut) => {
    const directory = await withPlan(isCut)
    giveAway(directory)
    for (const file of filesIn(directory)) chmodSync(file, 0o400)
    chmodSync(directory, 0o500)
    await expectReadable(await startServer(directory, {}, user), /could not be written when the server started/)
  })

  test('[11-F11] a database that can only be read, in a directory that is written', async () => {
    const directory = await withPlan()
    giveAway(directory)
    for (const file of filesIn(directory).filter((name) => name.endsWith('.db'))) chmodSync(file, 0o400)
    const server = await startServer(directory, {}, user)
    // It was the user's own to mend: the rights that a server's files have were put back.
    onTestFinished(async () => void (await server.kill9()))
    await callTool(server.url, T, 'add_todos', { steps: ['more'] })
  })

  test.skipIf(!hasFaultyDisk)('[11-F11] a disk that is full at the start: its plans are read', async () => {
    for (const isCut of [false, true]) {
      const directory = await withPlan(isCut)
      const disk = faultyDisk()
      disk.fill()
      await expectReadable(await startServer(directory, disk.env), /was full when the server started/)
    }
  })
})

describe('what keeps a server from starting', () => {
  test('[11-F11] a directory that cannot be read either says which, and what to do', async () => {
    const directory = await newDirectory()
    chmodSync(directory, 0o500)
    giveAway(directory)
    const { code, output } = await runServer(directory, {}, user)
    expect([code, output]).toEqual([1, expect.stringContaining(directory)])
    expect(output).toMatch(/cannot be written by the user of this process \(.*chmod.*PLANROOM_DATA_DIR/)
  })

  test.each([
    ['its header', 0, 100],
    ['its schema', 100, 3_000],
    ['the whole page of its schema', 0, 4_096],
  ])('[11-F11] damage in %s says which file, and how it is mended', async (_name, from, length) => {
    const directory = await withPlan()
    const path = join(directory, 'planroom.db')
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from)
    closeSync(file)
    const { code, output } = await runServer(directory)
    expect(code).toBe(1)
    expect(output).toContain(`The database ${path} is damaged`)
    expect(output).toContain(`planroom verify --repair --data ${directory}`)
    expect(output).toContain('planroom restore')
  })

  test('[11-F42] a database that was cut short says so too', async () => {
    const directory = await withPlan()
    const path = join(directory, 'planroom.db')
    truncateSync(path, Math.floor(statSync(path).size / 2))
    const { code, output } = await runServer(directory)
    expect([code, output]).toEqual([1, expect.stringContaining('planroom verify --repair')])
  })
})

test.skipIf(process.platform !== 'linux')(
  '[11-F37] a data directory that cannot be made ends the start, with the reason',
  async () => {
    const { code, output } = await runServer('/proc/planroom/data')
    expect([code, output]).toEqual([1, expect.stringContaining('/proc/planroom/data cannot be used (ENOENT')])
  },
)
