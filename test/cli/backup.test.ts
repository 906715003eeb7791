import { existsSync, readdirSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { logEntry, threadId } from '../contracts/storage.ts'
import { startServer } from '../helpers/server-process.ts'
import { callTool, newDirectory, newServer, planroom, start } from './bin.ts'

const textsOf = async (url: string, thread: string): Promise<string[]> => {
  const { steps } = (await (await fetch(`${url}/threads/${thread}`)).json()) as { steps: { text: string }[] }
  return steps.map(({ text }) => text)
}

/** A data directory with one plan of one step, and no server. */
async function withPlan(text: string, directory?: string): Promise<string> {
  const data = directory ?? (await newDirectory())
  const server = await startServer(data)
  await callTool(server.url, 'plan', 'add_todos', { steps: [text] })
  await server.stop()
  return data
}

/** The plan of a directory, by a server that is started and stopped for it. */
async function planIn(directory: string): Promise<string[]> {
  const server = await startServer(directory)
  try {
    return await textsOf(server.url, 'plan')
  } finally {
    await server.stop()
  }
}

describe('a backup', () => {
  test('of a server that is written to: all that was acknowledged before, and nothing by halves', async () => {
    const data = await newDirectory()
    const { url } = await newServer({}, data)
    const threads = ['a', 'b', 'c', 'd']
    const acknowledged = new Map<string, number>()
    const over = new AbortController()
    const write = async (thread: string): Promise<void> => {
      for (let i = 1; !over.signal.aborted; i++) {
        await callTool(url, thread, 'add_todos', { steps: [{ text: `${thread} ${i}` }] })
        acknowledged.set(thread, i)
      }
    }
    const writers = threads.map(write)
    const all = async (least: number): Promise<void> => {
      while (threads.some((thread) => (acknowledged.get(thread) ?? 0) < least)) await fetch(`${url}/healthz`)
    }
    await all(30)
    const file = join(await newDirectory(), 'plans.db')
    for (const round of [1, 2, 3]) {
      const before = new Map(acknowledged)
      const target = `${file}.${round}`
      const made = await planroom(['backup', target, '-d', data, '--json'])
      expect(made).toMatchObject({ code: 0, stderr: '' })
      const after = new Map(acknowledged)
      for (const thread of threads) expect(after.get(thread)).toBeGreaterThan(before.get(thread) ?? 0)
      expect((await planroom(['verify', target])).stdout).toBe('4 plans, all whole\n')
      const restored = await newDirectory()
      expect((await planroom(['restore', target, '-d', restored])).code).toBe(0)
      const copy = await newServer({}, restored)
      for (const thread of threads) {
        const texts = await textsOf(copy.url, thread)
        expect(texts.length).toBeGreaterThanOrEqual(before.get(thread) ?? 0)
        // One more may be on the disk than its writer has been told of.
        expect(texts.length).toBeLessThanOrEqual((after.get(thread) ?? 0) + 1)
        expect(texts).toEqual(texts.map((_text, i) => `${thread} ${i + 1}`))
        const { version } = await callTool(copy.url, thread, 'list_todos', {})
        expect(version).toBe(texts.length)
      }
      await copy.stop()
    }
    over.abort()
    await Promise.all(writers)
  })

  test('is not put over a file, and says when there is nothing to back up', async () => {
    const data = await withPlan('a')
    const file = join(data, 'b.db')
    expect((await planroom(['backup', file, '-d', data])).stdout).toMatch(/b\.db: 1 plan, 1 change, \d+ KiB\n$/)
    expect((await planroom(['backup', file, '-d', data])).code).toBe(3)
    expect((await planroom(['backup', `${file}2`, '-d', await newDirectory()])).code).toBe(6)
    expect(existsSync(`${file}2`)).toBe(false)
  })

  test('that is killed leaves no file', async () => {
    const [data] = await largeBackup()
    const folder = await newDirectory()
    const file = join(folder, 'b.db')
    await killWhen(['backup', file, '-d', data], folder, (name) => name.includes('unfinished'))
    expect(existsSync(file)).toBe(false)
    expect((await planroom(['backup', file, '-d', data])).code).toBe(0)
  })
})

describe('restoring', () => {
  test('refuses a directory in use, and one that has plans; with --force those are kept aside', async () => {
    const file = join(await newDirectory(), 'b.db')
    expect((await planroom(['backup', file, '-d', await withPlan('old')])).code).toBe(0)
    const data = await withPlan('new')
    const server = await startServer(data)
    const inUse = await planroom(['restore', file, '-d', data, '--force'])
    expect([inUse.code, inUse.stderr]).toEqual([3, expect.stringContaining('Another Planroom server is using')])
    await server.stop()
    const there = await planroom(['restore', file, '-d', data])
    expect([there.code, there.stderr]).toEqual([3, expect.stringContaining('There are plans in')])
    expect(await planIn(data)).toEqual(['new'])
    const forced = await planroom(['restore', file, '-d', data, '--force', '--json'])
    expect(forced.code).toBe(0)
    const { aside } = JSON.parse(forced.stdout) as { aside: string }
    expect(await planIn(data)).toEqual(['old'])
    expect((await planroom(['restore', aside, '-d', data, '--force'])).code).toBe(0)
    expect(await planIn(data)).toEqual(['new'])
    expect(readdirSync(data).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  test('takes nothing that is no backup', async () => {
    const folder = await newDirectory()
    const data = await withPlan('a')
    writeFileSync(join(folder, 'text'), 'no database')
    new Database(join(folder, 'other')).exec('CREATE TABLE x (y)').close()
    for (const name of ['text', 'other']) {
      const ran = await planroom(['restore', join(folder, name), '-d', data, '--force'])
      expect([name, ran.code, ran.stderr]).toEqual([name, 1, expect.stringContaining('cannot be used')])
    }
    const newer = join(folder, 'newer.db')
    await planroom(['backup', newer, '-d', data])
    const db = new Database(newer)
    db.pragma('user_version = 99')
    db.close()
    expect((await planroom(['restore', newer, '-d', data, '--force'])).stderr).toContain('newer Planroom')
    expect((await planroom(['restore', join(folder, 'none'), '-d', data])).code).toBe(6)
    expect(await planIn(data)).toEqual(['a'])
  })

  test('killed at any moment leaves the old plans or the new ones, whole', async () => {
    const [, file] = await largeBackup()
    const data = await withPlan('precious')
    const moments: ((name: string) => boolean)[] = [
      (name) => name.includes('unfinished'),
      (name) => name.includes('unfinished') && size(join(data, name)) > 4_000_000,
      (name) => name.includes('unfinished') && size(join(data, name)) > 12_000_000,
      (name) => name.includes('journal'),
      (name) => name.includes('before-restore'),
    ]
    let killed = 0
    for (const moment of moments) {
      if (await killWhen(['restore', file, '-d', data, '--force'], data, moment)) killed += 1
      const threads = await threadsIn(data)
      expect(['plan', 'large']).toContain(threads)
      if (threads === 'plan') expect(await planIn(data)).toEqual(['precious'])
      else expect((await planroom(['verify', '-d', data, '--json'])).stdout).toContain('"database":[]')
    }
    expect(killed).toBeGreaterThanOrEqual(3)
    expect((await planroom(['restore', file, '-d', data, '--force'])).code).toBe(0)
    expect(await threadsIn(data)).toBe('large')
    expect(readdirSync(data).filter((name) => name.includes('unfinished'))).toEqual([])
  })
})

const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** A database of some 20 MB, in a directory and as a backup. */
async function largeBackup(): Promise<[directory: string, file: string]> {
  const directory = await newDirectory()
  const storage = await openSqliteStorage({ directory })
  for (let version = 1; version <= 40; version++)
    await storage.append(threadId('large'), logEntry(version, { update: new Uint8Array(500_000).fill(version) }))
  await storage.close()
  const file = join(await newDirectory(), 'large.db')
  expect((await planroom(['backup', file, '-d', directory])).code).toBe(0)
  return [directory, file]
}

async function threadsIn(directory: string): Promise<string> {
  const server = await startServer(directory)
  const { threads } = (await (await fetch(`${server.url}/threads`)).json()) as { threads: { thread: string }[] }
  await server.stop()
  return threads.map(({ thread }) => thread).join()
}

/** Kills a command as soon as a file of a folder is in a certain state. @returns whether it was killed before its end */
async function killWhen(args: readonly string[], folder: string, moment: (name: string) => boolean): Promise<boolean> {
  const child = start(args)
  const watcher = watch(folder, (_event, name) => {
    if (name !== null && moment(name)) child.kill('SIGKILL')
  })
  onTestFinished(() => watcher.close())
  const code = await new Promise((resolve) => child.once('close', resolve))
  watcher.close()
  return code === null
}
