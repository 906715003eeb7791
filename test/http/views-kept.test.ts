import { expect, test } from 'vitest'
import type { Storage } from '../../server/rooms/storage.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { callTool, getPlan } from '../helpers/clients.ts'
import { newApp, recordedLog } from '../helpers/http.ts'

const THREAD = 'taking-turns'
/** Bytes of views that one call may write, however large the plan is. */
const MOST_A_CALL = 4_096

test('[11-F21] two agents that add in turn and never list: some bytes of views a call, and they mean the same after a restart', async () => {
  const memory = createMemoryStorage()
  const sizes: number[] = []
  const saveView: Storage['saveView'] = (thread, view) => {
    sizes.push(view.state.length)
    return memory.saveView(thread, view)
  }
  const serve = () => newApp({ storage: { ...memory, saveView, close: () => Promise.resolve() }, log: recordedLog() })
  const first = serve()
  const { url } = await first.listen()
  const steps = (nth: number) => Array.from({ length: 16 }, (_, at) => ({ text: `step ${nth}.${at} of a long plan` }))
  for (let nth = 0; nth < 240; nth++)
    await callTool(url, THREAD, 'add_todos', { steps: steps(nth) }, { name: nth % 2 === 0 ? 'ada' : 'bob' })
  expect(sizes.length).toBeGreaterThan(200)
  expect(Math.max(...sizes)).toBeLessThan(MOST_A_CALL)
  await first.close()

  const again = await serve().listen()
  // bob's own step, by the number that its reply told.
  const reply = await callTool(
    again.url,
    THREAD,
    'update_todos',
    { updates: [{ index: 3_840, text: 'the last' }] },
    { name: 'bob' },
  )
  expect(reply.success).toBe(true)
  const { steps: now } = await getPlan(again.url, THREAD)
  expect(now).toHaveLength(3_840)
  expect(now.at(-1)?.text).toBe('the last')
  // One of ada's, which bob was never shown, is not removed by its number.
  const refused = await callTool(again.url, THREAD, 'remove_todos', { indices: [1] }, { name: 'bob' })
  expect(refused.success).toBe(false)
  expect((await getPlan(again.url, THREAD)).steps).toHaveLength(3_840)
})
