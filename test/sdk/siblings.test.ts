import { expect, onTestFinished, test } from 'vitest'
import { connectPlan } from '../../client/sdk/live-plan.ts'
import { memoryStore } from '../../client/sdk/store.ts'
import { add, agreeing, find, onServer, serve, texts, until } from './live.ts'

/** A tab: its store is one that others of the browser have as well. */
function tab(url: string, channel = 'planroom/holiday/ann', connect = false) {
  const store = { ...memoryStore(), channel }
  const plan = connectPlan({ url, thread: 'holiday', name: 'Ann', store, connect, backoff: () => 20 })
  onTestFinished(() => plan.close())
  return plan
}

test('[12] two tabs that are offline see each other, and one keeps what the other had not sent when it was closed', async () => {
  const server = await serve()
  const [one, two] = [tab(server.url), tab(server.url)]
  const other = tab(server.url, 'planroom/holiday/bob')
  await Promise.all([one.whenLoaded(), two.whenLoaded(), other.whenLoaded()])
  add(one, 'first')
  await until(two, () => texts(two).includes('first'))
  add(two, 'second')
  await until(one, () => texts(one).includes('second'))
  one.apply([{ type: 'removeSteps', steps: [find(one, 'second')], subSteps: true }])
  await until(two, () => !texts(two).includes('second'))
  expect(two.unsaved).toBeGreaterThan(0)
  // Somebody who comes later hears of all of it.
  const three = tab(server.url)
  await until(three, () => texts(three).includes('first'))
  await one.close()
  await two.close()
  three.goOnline()
  await agreeing(server, three)
  expect((await onServer(server)).steps.map(({ text }) => text)).toEqual(['first'])
  expect(three.unsaved).toBe(0)
  expect(texts(other)).toEqual([])
})

test('[12] with a connection each hears the server alone; one that comes back brings what both wrote, once', async () => {
  const server = await serve()
  const [one, two] = [tab(server.url, 'x', true), tab(server.url, 'x', true)]
  await Promise.all([one.whenSynced(), two.whenSynced()])
  one.goOffline()
  two.goOffline()
  add(one, 'mine')
  await until(two, () => texts(two).includes('mine'))
  add(two, 'yours')
  await until(one, () => texts(one).includes('yours'))
  one.goOnline()
  two.goOnline()
  await agreeing(server, one, two)
  expect((await onServer(server)).steps.map(({ text }) => text).toSorted()).toEqual(['mine', 'yours'])
})
