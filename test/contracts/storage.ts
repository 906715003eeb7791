import { describe, expect, onTestFinished, test } from 'vitest'
import type { LogEntry, Storage } from '../../server/rooms/storage.ts'
import { ThreadDeleted, VersionConflict } from '../../server/rooms/storage.ts'
import type { StepId, ThreadId } from '../../shared/schema/ids.ts'

const DAY = 24 * 60 * 60 * 1000
const START = 1_700_000_000_000

export const threadId = (name: string): ThreadId => name as ThreadId

/** An entry whose bytes tell its version. */
export function logEntry(version: number, changes: Partial<LogEntry> = {}): LogEntry {
  return {
    version,
    at: START + version,
    actor: { id: 'a1', name: 'Ada', kind: 'agent' },
    source: 'http',
    tool: 'todo_write',
    reasoning: `because of ${version}`,
    summary: `change ${version}`,
    update: bytes(version),
    ...changes,
  }
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
const reply = (key: string, changes: Partial<NonNullable<LogEntry['idempotency']>> = {}) => ({
  idempotency: { actorId: 'a1', key, hash: `hash of ${key}`, reply: `{"key":"${key}"}`, ...changes },
})
/** How each promise ended: 'ok', or the name of its error. */
const endings = async (promises: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(promises)).map((result) =>
    result.status === 'fulfilled' ? 'ok' : (result.reason as Error).name,
  )

/**
 * Every sentence of the port as a test.
 * @param openEmpty gives an empty storage of its own at each call; the suite closes it
 */
export function describeStorage(name: string, openEmpty: () => Promise<Storage>): void {
  const plan = threadId('plan')
  const other = threadId('other')
  const open = async (): Promise<Storage> => {
    const storage = await openEmpty()
    onTestFinished(() => storage.close())
    return storage
  }
  const withEntries = async (count: number): Promise<Storage> => {
    const storage = await open()
    for (let version = 1; version <= count; version += 1) await storage.append(plan, logEntry(version))
    return storage
  }

  describe(`storage: ${name}`, () => {
    describe('open', () => {
      test('gives null for a thread that was never stored', async () => {
        const storage = await open()
        expect(await storage.open(plan)).toBeNull()
      })
      test('gives all updates in order while there is no snapshot', async () => {
        const storage = await withEntries(3)
        expect(await storage.open(plan)).toEqual({
          version: 3,
          snapshot: null,
          updates: [bytes(1), bytes(2), bytes(3)],
        })
      })
      test('gives plain Uint8Arrays, whole and empty ones too', async () => {
        const storage = await open()
        const large = new Uint8Array(1024 * 1024).map((_, index) => index % 251)
        const pool = bytes(9, 9, 1, 2, 3, 9)
        await storage.append(plan, logEntry(1, { update: large }))
        await storage.append(plan, logEntry(2, { update: pool.subarray(2, 5) }))
        await storage.append(plan, logEntry(3, { update: Buffer.from([7, 8]) }))
        await storage.append(plan, logEntry(4, { update: bytes() }))
        const stored = await storage.open(plan)
        expect(stored?.updates.map((update) => Object.getPrototypeOf(update) === Uint8Array.prototype)).toEqual(
          Array(4).fill(true),
        )
        expect(Buffer.compare(stored?.updates[0] ?? bytes(), large)).toBe(0)
        expect(stored?.updates.slice(1)).toEqual([bytes(1, 2, 3), bytes(7, 8), bytes()])
      })
      test('[RL-10] waits for the appends of the thread that were given before it', async () => {
        const storage = await withEntries(1)
        const appended = [storage.append(plan, logEntry(2)), storage.append(plan, logEntry(3))]
        const opened = storage.open(plan)
        expect((await opened)?.version).toBe(3)
        await Promise.all(appended)
      })
      test('hands out bytes that nobody else holds', async () => {
        const storage = await withEntries(1)
        const first = await storage.open(plan)
        first?.updates[0]?.fill(99)
        expect((await storage.open(plan))?.updates).toEqual([bytes(1)])
      })
    })

    describe('append', () => {
      test('creates the thread with its first entry', async () => {
        const storage = await withEntries(1)
        expect(await storage.threads('', 10)).toEqual([
          { thread: plan, version: 1, createdAt: START + 1, updatedAt: START + 1 },
        ])
      })
      test('[13-9] keeps how the plan looks from outside, the latest that was told', async () => {
        const storage = await withEntries(1)
        const outlook = (title: string) => ({ title, progress: { completed: 1, active: 0, blocked: 0, total: 2 } })
        await storage.append(plan, { ...logEntry(2), outlook: outlook('a') })
        await storage.append(plan, { ...logEntry(3), outlook: outlook('b') })
        expect(await storage.threads('', 10)).toMatchObject([{ thread: plan, version: 3, outlook: outlook('b') }])
        expect(Object.keys((await storage.activity(plan, 2, 1))[0] ?? {})).not.toContain('outlook')
      })
      test('keeps the order of entries that were given without waiting', async () => {
        const storage = await open()
        const versions = Array.from({ length: 300 }, (_, index) => index + 1)
        const order: number[] = []
        await Promise.all(
          versions.map((version) => storage.append(plan, logEntry(version)).then(() => order.push(version))),
        )
        expect(order).toEqual(versions)
        const log = await storage.activity(plan, 0, 1_000)
        expect(log.map((entry) => entry.version)).toEqual(versions)
      })
      test.each([
        ['an old version', 2],
        ['the same version again', 3],
        ['a version too far ahead', 5],
        ['version 0', 0],
      ])('refuses %s with VersionConflict and keeps nothing of it', async (_, version) => {
        const storage = await withEntries(3)
        const before = await storage.open(plan)
        await expect(storage.append(plan, logEntry(version, reply('key')))).rejects.toBeInstanceOf(VersionConflict)
        expect(await storage.open(plan)).toEqual(before)
        expect(await storage.recall(plan, 'a1', 'key', START)).toBeNull()
        expect((await storage.threads('', 10))[0]).toMatchObject({ version: 3, updatedAt: START + 3 })
        await storage.append(plan, logEntry(4))
      })
      test('refuses a first entry that is not version 1, and stores no thread', async () => {
        const storage = await open()
        await expect(storage.append(plan, logEntry(2))).rejects.toBeInstanceOf(VersionConflict)
        expect(await storage.open(plan)).toBeNull()
      })
      test('lets one of two writers win and tells the other', async () => {
        const storage = await withEntries(1)
        const results = await endings([
          storage.append(plan, logEntry(2, { update: bytes(21) })),
          storage.append(plan, logEntry(2, { update: bytes(22) })),
        ])
        expect(results).toEqual(['ok', 'VersionConflict'])
        expect((await storage.open(plan))?.updates).toEqual([bytes(1), bytes(21)])
      })
      test('a failed entry fails the later ones of its thread that were given already, even where they would fit', async () => {
        const storage = await withEntries(3)
        const results = await endings([
          storage.append(plan, logEntry(3)),
          storage.append(plan, logEntry(4)),
          storage.append(plan, logEntry(5)),
        ])
        expect(results).toEqual(['VersionConflict', 'VersionConflict', 'VersionConflict'])
        expect((await storage.open(plan))?.version).toBe(3)
        await storage.append(plan, logEntry(4))
        expect((await storage.open(plan))?.version).toBe(4)
      })
      test('a failed entry fails no other thread, whatever waits beside it', async () => {
        const storage = await withEntries(3)
        const results = await endings([
          storage.append(other, logEntry(1)),
          storage.append(plan, logEntry(9)),
          storage.append(other, logEntry(2)),
          storage.create(threadId('third'), START),
          storage.append(plan, logEntry(4)),
          storage.append(other, logEntry(3)),
        ])
        expect(results).toEqual(['ok', 'VersionConflict', 'ok', 'ok', 'VersionConflict', 'ok'])
        expect((await storage.open(other))?.version).toBe(3)
        expect((await storage.open(threadId('third')))?.version).toBe(0)
      })
      test('[RL-4] what was acknowledged is seen by every later read', async () => {
        const storage = await open()
        for (let version = 1; version <= 20; version += 1) {
          await storage.append(plan, logEntry(version, reply(`k${version}`)))
          const [stored, log, known, list] = await Promise.all([
            storage.open(plan),
            storage.activity(plan, version - 1, 10),
            storage.recall(plan, 'a1', `k${version}`, START),
            storage.threads('', 10),
          ])
          expect([stored?.version, log.length, known?.version, list[0]?.version]).toEqual([
            version,
            1,
            version,
            version,
          ])
        }
      })
    })

    describe('create', () => {
      test('stores an empty plan at version 0, once', async () => {
        const storage = await open()
        expect(await storage.create(plan, START)).toBe(true)
        expect(await storage.create(plan, START + 5)).toBe(false)
        expect(await storage.open(plan)).toEqual({ version: 0, snapshot: null, updates: [] })
        expect(await storage.threads('', 10)).toEqual([
          { thread: plan, version: 0, createdAt: START, updatedAt: START },
        ])
      })
      test('[RL-5] of many at once exactly one creates the thread', async () => {
        const storage = await open()
        const created = await Promise.all(Array.from({ length: 20 }, () => storage.create(plan, START)))
        expect(created.filter(Boolean)).toHaveLength(1)
      })
      test('is followed by version 1', async () => {
        const storage = await open()
        await storage.create(plan, START)
        await storage.append(plan, logEntry(1))
        expect(await storage.threads('', 10)).toEqual([
          { thread: plan, version: 1, createdAt: START, updatedAt: START + 1 },
        ])
      })
      test('gives false for a thread that an entry created', async () => {
        const storage = await withEntries(1)
        expect(await storage.create(plan, START)).toBe(false)
      })
    })

    describe('snapshot', () => {
      test('open gives it and only the updates after it', async () => {
        const storage = await withEntries(5)
        await storage.snapshot(plan, 3, bytes(33))
        expect(await storage.open(plan)).toEqual({ version: 5, snapshot: bytes(33), updates: [bytes(4), bytes(5)] })
        await storage.snapshot(plan, 5, bytes(55))
        expect(await storage.open(plan)).toEqual({ version: 5, snapshot: bytes(55), updates: [] })
      })
      test('is ignored where the log is shorter or the thread unknown', async () => {
        const storage = await withEntries(2)
        await storage.snapshot(plan, 3, bytes(33))
        await storage.snapshot(other, 1, bytes(11))
        expect((await storage.open(plan))?.snapshot).toBeNull()
        expect(await storage.open(other)).toBeNull()
      })
      test('is ignored where a newer one stands', async () => {
        const storage = await withEntries(4)
        await storage.snapshot(plan, 4, bytes(44))
        await storage.snapshot(plan, 2, bytes(22))
        expect(await storage.open(plan)).toEqual({ version: 4, snapshot: bytes(44), updates: [] })
      })
      test('leaves the activity whole', async () => {
        const storage = await withEntries(4)
        await storage.snapshot(plan, 4, bytes(44))
        expect(await storage.activity(plan, 0, 10)).toHaveLength(4)
      })
      test('[RL-43] racing with appends, snapshot and updates are the whole log at every moment', async () => {
        const storage = await open()
        const writes: Promise<void>[] = []
        const opened: ReturnType<Storage['open']>[] = []
        for (let version = 1; version <= 1_000; version += 1) {
          writes.push(storage.append(plan, logEntry(version, { update: bytes(version % 256) })))
          // The state tells its version; some come late, and must lose.
          const late = version % 3 === 0 ? version - 2 : version
          writes.push(storage.snapshot(plan, late, new TextEncoder().encode(String(late))))
          if (version % 50 === 0) opened.push(storage.open(plan))
        }
        await Promise.all(writes)
        for (const stored of await Promise.all(opened)) {
          const from = Number(new TextDecoder().decode(stored?.snapshot ?? bytes()))
          const rest = Array.from({ length: (stored?.version ?? 0) - from }, (_, index) =>
            bytes((from + index + 1) % 256),
          )
          expect(stored?.updates).toEqual(rest)
        }
        expect((await storage.open(plan))?.version).toBe(1_000)
      })
    })

    describe('views', () => {
      const view = (actorId: string, version = 1) => ({ actorId, version, state: `{"of":"${actorId}"}` })

      test('keeps what each actor was shown last, the latest standing last', async () => {
        const storage = await withEntries(2)
        await storage.saveView(plan, view('a1'))
        await storage.saveView(plan, view('a2'))
        await storage.saveView(plan, view('a1', 2))
        expect(await storage.views(plan)).toEqual([view('a2'), view('a1', 2)])
        expect(await storage.views(other)).toEqual([])
      })
      test('keeps the last 64 of a thread', async () => {
        const storage = await withEntries(1)
        const actors = Array.from({ length: 70 }, (_, i) => `actor ${i}`)
        await Promise.all(actors.map((actor) => storage.saveView(plan, view(actor))))
        expect((await storage.views(plan)).map(({ actorId }) => actorId)).toEqual(actors.slice(6))
      })
      test('ignores a thread that is not stored, and forgets with a deleted one', async () => {
        const storage = await withEntries(1)
        await storage.saveView(other, view('a1'))
        expect(await storage.views(other)).toEqual([])
        await storage.saveView(plan, view('a1'))
        await storage.remove(plan, START)
        expect(await storage.views(plan)).toEqual([])
      })
    })

    describe('activity', () => {
      test('gives everything but the bytes', async () => {
        const storage = await open()
        const actor = { id: 'u 1', name: 'Åsa \u{1f41d}', kind: 'human' } as const
        await storage.append(plan, logEntry(1, { actor, source: 'ws', tool: '', reasoning: '', ...reply('key') }))
        const { version, at, source, tool, reasoning, summary } = logEntry(1, { source: 'ws', tool: '', reasoning: '' })
        expect(await storage.activity(plan, 0, 10)).toStrictEqual([
          { version, at, actor, source, tool, reasoning, summary },
        ])
      })
      test('[10-F2][11-F6] gives the words that an entry replaced, and goes with the thread', async () => {
        const storage = await open()
        const step = 'step-0001' as StepId
        const formerTexts = [{ step, field: 'details', text: 'as it was: "é"', fate: 'replaced' }] as const
        await storage.append(plan, logEntry(1))
        await storage.append(plan, logEntry(2, { formerTexts }))
        const [one, two] = await storage.activity(plan, 0, 10)
        expect(one).not.toHaveProperty('formerTexts')
        expect(two?.formerTexts).toStrictEqual(formerTexts)
        await storage.remove(plan, START)
        await storage.append(other, logEntry(1))
        expect(await storage.activity(other, 0, 10)).toHaveLength(1)
      })
      test('gives pages in ascending order', async () => {
        const storage = await withEntries(5)
        const page = async (after: number, limit: number) =>
          (await storage.activity(plan, after, limit)).map((entry) => entry.version)
        expect(await page(0, 2)).toEqual([1, 2])
        expect(await page(2, 2)).toEqual([3, 4])
        expect(await page(4, 2)).toEqual([5])
        expect(await page(5, 2)).toEqual([])
        expect(await page(0, 0)).toEqual([])
        expect(await page(0, -1)).toEqual([])
      })
      test('is empty for an unknown thread and for an empty one', async () => {
        const storage = await open()
        await storage.create(other, START)
        expect(await storage.activity(plan, 0, 10)).toEqual([])
        expect(await storage.activity(other, 0, 10)).toEqual([])
      })
    })

    describe('recall', () => {
      test('gives the record with its hash, version and time', async () => {
        const storage = await withEntries(1)
        await storage.append(plan, logEntry(2, reply('key')))
        expect(await storage.recall(plan, 'a1', 'key', START + 2)).toEqual({
          actorId: 'a1',
          key: 'key',
          hash: 'hash of key',
          reply: '{"key":"key"}',
          version: 2,
          at: START + 2,
        })
      })
      test('knows a key for one actor of one thread', async () => {
        const storage = await withEntries(1)
        await storage.append(plan, logEntry(2, reply('key')))
        await storage.append(other, logEntry(1, reply('key', { actorId: 'a2', hash: 'second' })))
        expect(await storage.recall(plan, 'a2', 'key', START)).toBeNull()
        expect(await storage.recall(other, 'a1', 'key', START)).toBeNull()
        expect(await storage.recall(plan, 'a1', 'another', START)).toBeNull()
        expect(await storage.recall(threadId('unknown'), 'a1', 'key', START)).toBeNull()
        expect((await storage.recall(other, 'a2', 'key', START))?.hash).toBe('second')
      })
      test('does not mix up actors and keys that look alike when joined', async () => {
        const storage = await open()
        await storage.append(plan, logEntry(1, reply('b c', { actorId: 'a' })))
        expect(await storage.recall(plan, 'a b', 'c', START)).toBeNull()
      })
      test('forgets after 24 hours, to the millisecond', async () => {
        const storage = await open()
        await storage.append(plan, logEntry(1, { at: START, ...reply('key') }))
        expect((await storage.recall(plan, 'a1', 'key', START + DAY - 1))?.version).toBe(1)
        expect(await storage.recall(plan, 'a1', 'key', START + DAY)).toBeNull()
      })
      test('gives the new record where an expired key came again', async () => {
        const storage = await open()
        await storage.append(plan, logEntry(1, { at: START, ...reply('key') }))
        await storage.append(plan, logEntry(2, { at: START + DAY, ...reply('key', { hash: 'new' }) }))
        expect(await storage.recall(plan, 'a1', 'key', START + DAY + 1)).toMatchObject({ hash: 'new', version: 2 })
      })
      test('still knows young keys while old ones are dropped', async () => {
        const storage = await open()
        await storage.append(plan, logEntry(1, { at: START, ...reply('old') }))
        await storage.append(plan, logEntry(2, { at: START + DAY / 2, ...reply('young') }))
        await storage.append(plan, logEntry(3, { at: START + DAY, ...reply('new') }))
        const now = START + DAY + 1
        expect(await storage.recall(plan, 'a1', 'old', now)).toBeNull()
        expect((await storage.recall(plan, 'a1', 'young', now))?.version).toBe(2)
        expect((await storage.recall(plan, 'a1', 'new', now))?.version).toBe(3)
      })
    })

    describe('threads', () => {
      test('gives pages in the order of the names', async () => {
        const storage = await open()
        const names = ['b', 'a-1', 'a.1', 'Z', '~', '_x', '10', '2'].map(threadId)
        await Promise.all(names.map((thread) => storage.create(thread, START)))
        const sorted = names.toSorted((a, b) => (a < b ? -1 : 1))
        const listed = async (after: string, limit: number) =>
          (await storage.threads(after, limit)).map((info) => info.thread)
        expect(await listed('', 100)).toEqual(sorted)
        expect(await listed('', 3)).toEqual(sorted.slice(0, 3))
        expect(await listed(sorted[2] ?? '', 3)).toEqual(sorted.slice(3, 6))
        expect(await listed('a', 2)).toEqual(['a-1', 'a.1'])
        expect(await listed('~~', 3)).toEqual([])
        expect(await listed('', 0)).toEqual([])
      })
      test('is empty for an empty storage', async () => {
        expect(await (await open()).threads('', 10)).toEqual([])
      })
    })

    describe('remove', () => {
      test('gives false for a thread that was never stored, which may come still', async () => {
        const storage = await open()
        expect(await storage.remove(plan, START)).toBe(false)
        expect(await storage.create(plan, START)).toBe(true)
      })
      test('the id of a deleted thread is never given again', async () => {
        const storage = await withEntries(2)
        expect(await storage.remove(plan, START)).toBe(true)
        await expect(storage.open(plan)).rejects.toBeInstanceOf(ThreadDeleted)
        await expect(storage.append(plan, logEntry(1))).rejects.toBeInstanceOf(ThreadDeleted)
        await expect(storage.append(plan, logEntry(3))).rejects.toBeInstanceOf(ThreadDeleted)
        await expect(storage.create(plan, START)).rejects.toBeInstanceOf(ThreadDeleted)
        await expect(storage.activity(plan, 0, 10)).rejects.toBeInstanceOf(ThreadDeleted)
        await expect(storage.remove(plan, START)).rejects.toBeInstanceOf(ThreadDeleted)
      })
      test('takes everything of the thread, and of no other', async () => {
        const storage = await withEntries(2)
        await storage.append(plan, logEntry(3, reply('key')))
        await storage.append(other, logEntry(1, reply('key')))
        await storage.snapshot(plan, 3, bytes(3))
        await storage.remove(plan, START)
        expect(await storage.recall(plan, 'a1', 'key', START)).toBeNull()
        await storage.snapshot(plan, 3, bytes(3))
        expect((await storage.threads('', 10)).map((info) => info.thread)).toEqual([other])
        expect((await storage.open(other))?.version).toBe(1)
        expect((await storage.recall(other, 'a1', 'key', START))?.version).toBe(1)
      })
      test('waits for appends given before it and stops those given after it', async () => {
        const storage = await withEntries(1)
        const results = await endings([
          storage.append(plan, logEntry(2)),
          storage.remove(plan, START),
          storage.append(plan, logEntry(3)),
        ])
        expect(results).toEqual(['ok', 'ok', 'ThreadDeleted'])
      })
    })

    describe('ping and close', () => {
      test('ping resolves', async () => {
        await expect((await open()).ping()).resolves.toBeUndefined()
      })
      test('[RL-10] close finishes what was given, then every call rejects', async () => {
        const storage = await withEntries(1)
        const given = [
          ...Array.from({ length: 50 }, (_, index) => storage.append(plan, logEntry(index + 2))),
          storage.snapshot(plan, 51, bytes(51)),
          storage.open(plan).then((stored) => expect(stored?.version).toBe(51)),
        ]
        const closed = storage.close()
        const refused = storage.append(plan, logEntry(52))
        await expect(refused).rejects.toThrow('closed')
        expect(await endings(given)).toEqual(Array(52).fill('ok'))
        await closed
        for (const call of [
          () => storage.open(plan),
          () => storage.append(plan, logEntry(52)),
          () => storage.create(other, START),
          () => storage.snapshot(plan, 1, bytes(1)),
          () => storage.activity(plan, 0, 10),
          () => storage.recall(plan, 'a1', 'key', START),
          () => storage.threads('', 10),
          () => storage.remove(plan, START),
          () => storage.ping(),
        ]) {
          await expect(call()).rejects.toThrow('closed')
        }
      })
      test('closing again is the same closing', async () => {
        const storage = await open()
        await Promise.all([storage.close(), storage.close()])
        await storage.close()
      })
    })
  })
}
