import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { logEntry, threadId } from '../contracts/storage.ts'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-processes-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
function startChild(...args: string[]): { child: ChildProcess; lines: AsyncIterableIterator<string> } {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('no stdout')
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}
async function nextLine(lines: AsyncIterableIterator<string>): Promise<string> {
  const next = await lines.next()
  if (next.done === true) throw new Error('The child ended without a word.')
  return next.value
}

describe('[RL-4] [RL-43] kill -9', () => {
  test('takes nothing that was acknowledged, and leaves no gap', async () => {
    const directory = await newDirectory()
    const threads = ['a', 'b', 'c', 'd'].map(threadId)
    const acknowledged = new Map<string, number>()
    for (const killAfter of [1, 40, 333, 900, 177]) {
      const { child, lines } = startChild(directory, ...threads)
      const ended = once(child, 'exit')
      let seen = 0
      // What it printed before it died counts, even if it is read later.
      for await (const line of lines) {
        const [thread = '', version = ''] = line.split(' ')
        acknowledged.set(thread, Math.max(acknowledged.get(thread) ?? 0, Number(version)))
        seen += 1
        if (seen === killAfter) child.kill('SIGKILL')
      }
      expect((await ended)[1]).toBe('SIGKILL')
      expect(seen).toBeGreaterThanOrEqual(killAfter)
      const storage = await openSqliteStorage({ directory })
      for (const thread of threads) {
        const stored = await storage.open(thread)
        const version = stored?.version ?? 0
        const promised = acknowledged.get(thread) ?? 0
        expect(version).toBeGreaterThanOrEqual(promised)
        const from = stored?.snapshot ? Number(new TextDecoder().decode(stored.snapshot)) : 0
        const expected = Array.from({ length: version - from }, (_, index) => {
          const at = from + index + 1
          return `${thread} ${at};`.repeat(1 + (at % 50))
        })
        expect(stored?.updates.map((update) => new TextDecoder().decode(update)) ?? []).toEqual(expected)
        const log = await storage.activity(thread, 0, 1_000_000)
        expect(log.map((entry) => entry.version)).toEqual(Array.from({ length: version }, (_, index) => index + 1))
        for (let at = 1; at <= promised; at += 1) {
          expect((await storage.recall(thread, 'a1', `k${at}`, 1_700_000_000_000))?.version).toBe(at)
        }
      }
      await storage.close()
    }
    expect(acknowledged.size).toBe(4)
  })
})

describe('one server owns a data directory', () => {
  const refusal = /Another Planroom server is using the data directory .*Stop that server first, or give this one/

  test('a second opening in the same process is refused, and works after close', async () => {
    const directory = await newDirectory()
    const first = await openSqliteStorage({ directory })
    await expect(openSqliteStorage({ directory })).rejects.toThrow(refusal)
    // The refused one must not have taken the lock of the first along.
    await expect(openSqliteStorage({ directory })).rejects.toThrow(refusal)
    await first.append(threadId('plan'), logEntry(1))
    await first.close()
    const second = await openSqliteStorage({ directory })
    expect((await second.open(threadId('plan')))?.version).toBe(1)
    await second.close()
  })
  test('another process is refused, and works after close', async () => {
    const directory = await newDirectory()
    const first = await openSqliteStorage({ directory })
    expect(await nextLine(startChild(directory).lines)).toMatch(refusal)
    await first.close()
    expect(await nextLine(startChild(directory).lines)).toBe('open')
  })
  test('the lock of a killed process goes with it', async () => {
    const directory = await newDirectory()
    const { child, lines } = startChild(directory)
    expect(await nextLine(lines)).toBe('open')
    await expect(openSqliteStorage({ directory })).rejects.toThrow(refusal)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await (await openSqliteStorage({ directory })).close()
  })
  test('a backup can read meanwhile', async () => {
    const directory = await newDirectory()
    const storage = await openSqliteStorage({ directory })
    await storage.append(threadId('plan'), logEntry(1))
    const db = new Database(join(directory, 'planroom.db'), { readonly: true })
    await db.backup(join(directory, 'copy.db'))
    db.close()
    await storage.append(threadId('plan'), logEntry(2))
    await storage.close()
    const copy = new Database(join(directory, 'copy.db'), { readonly: true })
    expect(copy.prepare('SELECT version FROM threads').pluck().get()).toBe(1)
    copy.close()
  })
})
