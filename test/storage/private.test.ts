import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callTool, newDirectory, planroom } from '../cli/bin.ts'
import { startServer } from '../helpers/server-process.ts'

/** What a shell gives everybody to read, unless it was told otherwise. */
function withUsualMask(): void {
  const before = process.umask(0o022)
  onTestFinished(() => void process.umask(before))
}
const rights = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const rightsIn = (directory: string): string[] =>
  readdirSync(directory)
    .toSorted()
    .map((name) => `${name} ${rights(join(directory, name))}`)
const FILES = ['planroom.db', 'planroom.db-shm', 'planroom.db-wal', 'planroom.lock', 'planroom.lock-journal'].map(
  (name) => `${name} 600`,
)

describe.skipIf(process.platform === 'win32')('whoever else uses the machine', () => {
  test('[11-F33] cannot look into the data directory, nor into a backup', async () => {
    withUsualMask()
    const parent = await newDirectory()
    const data = join(parent, 'data')
    const server = await startServer(data)
    onTestFinished(async () => void (await server.kill9()))
    await callTool(server.url, 'a', 'add_todos', { steps: ['one'] })
    expect([rights(data), ...rightsIn(data)]).toEqual(['700', ...FILES])

    const backups = join(parent, 'backups')
    expect((await planroom(['backup', join(backups, 'plans.db'), '-d', data])).code).toBe(0)
    expect([rights(backups), ...rightsIn(backups)]).toEqual(['700', 'plans.db 600'])
    const restored = join(parent, 'restored')
    expect((await planroom(['restore', join(backups, 'plans.db'), '-d', restored])).code).toBe(0)
    expect([rights(restored), ...rightsIn(restored)]).toEqual(['700', 'planroom.db 600', 'planroom.lock 600'])
    await server.stop()
    expect((await planroom(['verify', '-d', data, '--repair'])).code).toBe(0)
    expect(rightsIn(data).filter((line) => !line.endsWith(' 600'))).toEqual([])
  })

  test('[11-F33] cannot read files that an older server made either; a directory stays as its owner made it', async () => {
    withUsualMask()
    const data = await newDirectory()
    const before = await startServer(data)
    await callTool(before.url, 'a', 'add_todos', { steps: ['one'] })
    await before.kill9() // leaves its logs
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644)
    chmodSync(data, 0o750)
    mkdirSync(join(data, 'not-ours'), 0o755)
    const server = await startServer(data)
    onTestFinished(async () => void (await server.kill9()))
    expect([rights(data), ...rightsIn(data)]).toEqual(['750', 'not-ours 755', ...FILES])
  })
})
