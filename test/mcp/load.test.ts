import { expect, test } from 'vitest'
import { ask, newApp } from '../helpers/http.ts'
import { CLIENTS, connectMcp } from './clients.ts'

const AGENTS = 20
const CALLS = 50

test('1,000 calls from 20 clients on one thread are all answered right', { timeout: 60_000 }, async () => {
  const app = newApp()
  const { url } = await app.listen()
  const kinds = Array.from({ length: AGENTS }, (_, i) => CLIENTS[i % CLIENTS.length] ?? 'v2 auto')
  const clients = await Promise.all(kinds.map((kind, i) => connectMcp(kind, { url, name: `agent-${i}` })))
  const versions = await Promise.all(
    clients.map(async (client, i) => {
      const told: unknown[] = []
      for (let k = 0; k < CALLS; k++) {
        const { structure, text, isError } = await client.call('add_todos', { steps: [{ text: `${i}.${k}` }] })
        expect(isError).toBe(false)
        expect(structure).toEqual(JSON.parse(text))
        expect(structure).toMatchObject({ success: true, summary: 'added 1 todo step' })
        told.push(structure?.['version'])
      }
      return told
    }),
  )
  // Every call was one version of its own, and each agent was told its own ones in order.
  expect(versions.flat().sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: AGENTS * CALLS }, (_, i) => i + 1),
  )
  const { json } = await ask(app, '/threads/plan')
  const { steps, version } = json as { steps: { text: string }[]; version: number }
  expect(version).toBe(AGENTS * CALLS)
  for (let i = 0; i < AGENTS; i++) {
    const own = steps.map(({ text }) => text).filter((text) => text.startsWith(`${i}.`))
    expect(own).toEqual(Array.from({ length: CALLS }, (_, k) => `${i}.${k}`))
  }
})
