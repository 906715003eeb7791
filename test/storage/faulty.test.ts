import { expect, test } from 'vitest'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { describeStorage, logEntry, threadId } from '../contracts/storage.ts'
import { faultyStorage } from '../helpers/faulty-storage.ts'

describeStorage('faulty, with no fault', async () => faultyStorage(createMemoryStorage()))

const plan = threadId('plan')

test('a failed append stores nothing, or everything', async () => {
  const storage = faultyStorage(createMemoryStorage())
  storage.failNextAppend(new Error('disk full'))
  await expect(storage.append(plan, logEntry(1))).rejects.toThrow('disk full')
  expect(await storage.open(plan)).toBeNull()
  storage.failNextAppend(new Error('answer lost'), { stored: true })
  await expect(storage.append(plan, logEntry(1))).rejects.toThrow('answer lost')
  expect((await storage.open(plan))?.version).toBe(1)
})

test('[RL-7] a failed open fails once', async () => {
  const storage = faultyStorage(createMemoryStorage())
  storage.failNextOpen(new Error('disk gone'))
  await expect(storage.open(plan)).rejects.toThrow('disk gone')
  expect(await storage.open(plan)).toBeNull()
})

test('held appends wait in order, and let others pass', async () => {
  const storage = faultyStorage(createMemoryStorage())
  storage.hold('append')
  const first = storage.append(plan, logEntry(1))
  const second = storage.append(plan, logEntry(2))
  await storage.called('append', 2)
  expect(await storage.open(plan)).toBeNull()
  storage.release('append', 1)
  await first
  expect((await storage.open(plan))?.version).toBe(1)
  storage.release('append')
  await Promise.all([second, storage.append(plan, logEntry(3))])
  expect((await storage.open(plan))?.version).toBe(3)
  expect(storage.calls).toEqual({ open: 3, append: 3, snapshot: 0 })
})
