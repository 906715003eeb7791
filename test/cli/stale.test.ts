import { expect, onTestFinished, test } from 'vitest'
import { connectPlan } from '../../client/sdk/live-plan.ts'
import { callTool, newServer, planroom } from './bin.ts'

async function threadWithStep() {
  const { url } = await newServer()
  await callTool(url, 'work', 'add_todos', { steps: ['Mend it', 'Tell'] })
  return url
}
const statuses = async (url: string): Promise<string[]> => {
  const { stdout } = await planroom(['show', 'work', '--url', url, '--json'])
  return (JSON.parse(stdout) as { steps: { text: string; status: string }[] }).steps.map(
    ({ text, status }) => `${text}: ${status}`,
  )
}

test('[RB-A8] a copy from before a step was closed does not open it again when it comes back', async () => {
  const url = await threadWithStep()
  const stale = connectPlan({ url, thread: 'work', name: 'stale' })
  onTestFinished(() => stale.close())
  await stale.whenSynced()
  stale.goOffline()
  await callTool(url, 'work', 'toggle_todos', { indices: [1] })
  const [step] = stale.plan.steps
  expect(step?.status).toBe('pending')
  // It works on, and says of that step what it last knew.
  stale.apply([{ type: 'setStep', id: step?.id as never, fields: { status: 'pending', text: 'Mend it well' } }])
  stale.goOnline()
  await stale.whenSynced()
  await stale.whenSaved()
  expect(await statuses(url)).toEqual(['Mend it well: completed', 'Tell: pending'])
  expect(stale.plan.steps[0]?.status).toBe('completed')
})

test('[RB-A8] neither does an old export that is imported again', async () => {
  const url = await threadWithStep()
  const { stdout } = await planroom(['export', 'work', '--url', url])
  await callTool(url, 'work', 'toggle_todos', { indices: [1] })
  expect((await planroom(['import', '-', '-t', 'work', '--url', url], { input: stdout })).code).toBe(3)
  expect(await statuses(url)).toEqual(['Mend it: completed', 'Tell: pending'])
})
