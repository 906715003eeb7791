import { expect, test } from 'vitest'
import type { Status } from '../../shared/schema/plan.ts'
import { localChecklist } from '../helpers/local-checklist.ts'
import { pick, seeded, shuffled } from './seeded.ts'
import { listOf, todo, todosIn, write } from './checklist-cases.ts'

const STATUSES: readonly Status[] = ['pending', 'in_progress', 'completed', 'blocked', 'cancelled']
const CLOSED: readonly string[] = ['completed', 'cancelled']
/** Runs of each property. */
const RUNS = 60

test('one actor alone always reads back what it wrote: order, content, status, description, required', async () => {
  await seeded(RUNS, async (next, log) => {
    const plan = localChecklist()
    for (let round = 1; round <= 12; round++) {
      const list = Array.from({ length: next(9) }, () =>
        todo(pick(next, ['a', 'b', 'c', 'd', 'e', 'f']), pick(next, STATUSES), {
          ...(next(3) === 0 ? { id: `t${next(9)}` } : {}),
          ...(next(4) === 0 ? { description: pick(next, ['one', 'two']) } : {}),
          ...(next(4) === 0 ? { required: true } : {}),
        }),
      )
      log.push(JSON.stringify(list))
      const reply = await write(plan, list)
      expect(reply.version).toBe(round)
      const read = (await listOf(plan)).map(({ content, status, description, required }) => ({
        content,
        status,
        description,
        required,
      }))
      expect(read).toEqual(
        list.map(({ content, status, description, required = false }) => ({ content, status, description, required })),
      )
    }
  })
})

test('two actors: nothing unseen is removed, nothing done is re-opened unknowingly, lists stand in their order', async () => {
  await seeded(RUNS, async (next, log) => {
    const plan = localChecklist()
    /** What each has seen: every content with its status; contents are never used twice. */
    const seen = new Map<string, Map<string, Status>>()
    /** What each gave in its last list that did not count. */
    const refused = new Map<string, Map<string, unknown>>()
    let made = 0
    for (let round = 0; round < 20; round++) {
      const actor = pick(next, ['a', 'b'])
      const known = seen.get(actor)
      const overruled = refused.get(actor) ?? new Map<string, unknown>()
      const stale = new Map<string, unknown>()
      const before = await listOf(plan)
      const kept = known === undefined ? [] : shuffled(next, [...known.keys()]).filter(() => next(5) > 0)
      const fresh = Array.from({ length: next(3) }, () => `${actor}${++made}`)
      const list = shuffled(next, [...kept, ...fresh]).map((content) =>
        todo(content, next(2) === 0 ? (known?.get(content) ?? 'pending') : pick(next, STATUSES)),
      )
      log.push(`${actor}: ${JSON.stringify(list)}`)
      const reply = await write(plan, list, actor)
      const after = todosIn(reply)
      log.push(`  -> ${after.map(({ content, status }) => `${content} ${status}`).join(', ')}`)
      const now = new Map(after.map(({ content, status }) => [content, status]))
      const listed = new Map(list.map((item) => [item['content'], item['status']]))
      for (const { content, status } of before) {
        const was = known?.get(content)
        if (was === undefined) expect(now.get(content), `${content} was not seen`).toBe(status)
        else if (!listed.has(content)) expect(now.has(content), `${content} was left out`).toBe(false)
        else if (overruled.has(content) && overruled.get(content) === listed.get(content)) {
          expect(now.get(content), `${content} is as stale as before`).toBe(status)
          stale.set(content, listed.get(content))
        } else if (CLOSED.includes(status) && was !== status && !CLOSED.includes(String(listed.get(content)))) {
          expect(now.get(content), `${content} was closed unseen`).toBe(status)
          stale.set(content, listed.get(content))
        } else if (listed.get(content) === was) {
          expect(now.get(content), `${content} was not changed`).toBe(status)
          if (was !== status) stale.set(content, was)
        } else expect(now.get(content), `${content} was changed`).toBe(listed.get(content))
        const unlisted = before.filter((one) => known?.has(one.content) !== true).length
        if (was === undefined && unlisted <= 20) expect(reply.text).toContain(`  = ${content} [${status}]`)
      }
      const there = new Set(before.map(({ content }) => content))
      const wanted = list.map((item) => String(item['content'])).filter((one) => there.has(one) || fresh.includes(one))
      expect(after.map(({ content }) => content).filter((one) => listed.has(one))).toEqual(wanted)
      // A line of what stays makes nothing seen.
      seen.set(actor, new Map([...now].filter(([content]) => listed.has(content))))
      refused.set(actor, stale)
    }
  })
})
