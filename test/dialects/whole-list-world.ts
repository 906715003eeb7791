import * as fc from 'fast-check'
import { assert } from 'vitest'
import type { StepId } from '../../shared/schema/ids.ts'
import { newStepId } from '../../shared/schema/ids.ts'
import type { Status, Step } from '../../shared/schema/plan.ts'
import type { PureDriver } from '../helpers/plan-driver.ts'
import { human, openPure } from '../helpers/plan-driver.ts'

const A = 'agent-a'
const ANN = human('Ann')
const STATUSES: readonly Status[] = ['pending', 'in_progress', 'completed', 'blocked', 'cancelled']
const isClosed = (status: Status): boolean => status === 'completed' || status === 'cancelled'

/** How models number a list that they write: anew each time, in one form or another, or not at all. */
const NUMBERINGS: readonly ((i: number, luck: number) => string | number | undefined)[] = [
  () => undefined,
  (i) => i + 1,
  (i) => `${i + 1}`,
  (i) => `0${i + 1}`,
  (i) => `t${i + 1}`,
  (i) => `#${i + 1}`,
  (i) => `task-${i + 1}`,
  (i) => i,
  (_, luck) => (luck % 12) + 1,
  (i, luck) => (luck % 2 === 0 ? `${i + 1}` : undefined),
]

/** What somebody else does; the numbers choose among what there is. */
const other = fc.record({
  who: fc.constantFrom('outline', 'checklist', 'person'),
  deed: fc.constantFrom('add', 'below', 'toggle', 'rename', 'remove', 'describe'),
  which: fc.nat(1_000),
})
export const round = fc.record({
  others: fc.array(other, { maxLength: 3 }),
  looks: fc.boolean(),
  /** Whether each step that is known is listed, and with which status; the first number shuffles. */
  keeps: fc.array(fc.record({ kept: fc.integer({ min: 0, max: 5 }), status: fc.nat(9), at: fc.nat(1_000) }), {
    minLength: 12,
    maxLength: 12,
  }),
  isShuffled: fc.boolean(),
  fresh: fc.array(fc.nat(20), { maxLength: 2 }),
  numbering: fc.nat(NUMBERINGS.length - 1),
  luck: fc.array(fc.nat(1_000), { minLength: 16, maxLength: 16 }),
})
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never

/** Texts are never used twice, so that what a text means is never in doubt. */
export class World {
  readonly plan: PureDriver = openPure()
  /** What A last saw of each step. */
  readonly known = new Map<StepId, Pick<Step, 'text' | 'status' | 'details'>>()
  /** The steps that A has listed, or made. */
  readonly own = new Set<StepId>()
  /** The list that its numbers count: what it read last, or wrote since. */
  order: readonly StepId[] = []
  readonly log: string[] = []
  #made = 0

  get steps(): readonly Step[] {
    return this.plan.plan.steps
  }
  text(who: string): string {
    return `${who}${++this.#made}`
  }

  async others({ who, deed, which }: typeof other extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const { steps } = this
    const step = steps[which % Math.max(steps.length, 1)]
    const text = this.text(who[0] ?? '')
    if (who === 'person') {
      const id = newStepId()
      if (deed === 'add' || step === undefined)
        this.plan.apply([{ type: 'addSteps', parent: null, steps: [{ id, text, depth: 0 }] }], ANN)
      else if (deed === 'below')
        this.plan.apply([{ type: 'addSteps', parent: step.id, steps: [{ id, text, depth: 0 }] }], ANN)
      else if (deed === 'remove') this.plan.apply([{ type: 'removeSteps', steps: [step.id], subSteps: false }], ANN)
      else {
        const fields =
          deed === 'rename' ? { text } : deed === 'describe' ? { details: text } : { status: 'completed' as const }
        this.plan.apply([{ type: 'setStep', id: step.id, fields }], ANN)
      }
    } else if (who === 'outline') {
      await this.plan.call('agent-b', 'list_todos')
      const index = step === undefined ? 1 : (which % steps.length) + 1
      if (deed === 'add' || step === undefined) await this.plan.call('agent-b', 'add_todos', { steps: [text] })
      else if (deed === 'below') await this.plan.call('agent-b', 'add_todos', { steps: [text], parent_index: index })
      else if (deed === 'remove') await this.plan.call('agent-b', 'remove_todos', { indices: [index] })
      else if (deed === 'rename') await this.plan.call('agent-b', 'update_todos', { updates: [{ index, text }] })
      else await this.plan.call('agent-b', 'toggle_todos', { indices: [index] })
    } else {
      // Keeps a list of its own beside that of A.
      await this.plan.call('agent-c', 'read_todos')
      const own = steps
        .filter(({ createdBy }) => createdBy === 'agent-c')
        .map(({ text: content, status }) => ({ content, status }))
      const todos = deed === 'remove' ? own.slice(1) : [...own, { content: text, status: 'pending' }]
      await this.plan.call('agent-c', 'write_todos', { todos })
    }
    this.log.push(`${who} ${deed} ${which}: ${this.steps.map((one) => `${one.text} ${one.status}`).join(', ')}`)
  }

  async look(): Promise<void> {
    await this.plan.call(A, 'read_todos')
    this.known.clear()
    for (const { id, text, status, details } of this.steps) this.known.set(id, { text, status, details })
    this.order = this.steps.map(({ id }) => id)
  }

  async write({ keeps, isShuffled, fresh, numbering, luck }: Round): Promise<void> {
    const items: { content: string; status: Status; means: StepId | null; at: number }[] = []
    let n = 0
    for (const [id, { text, status }] of this.known) {
      const { kept, status: chosen, at } = keeps[n++ % keeps.length] ?? { kept: 1, status: 0, at: 0 }
      // What is not its own it lists now and then.
      if (kept === 0 || (!this.own.has(id) && kept < 4)) continue
      items.push({ content: text, status: STATUSES[chosen] ?? status, means: id, at: isShuffled ? at : n })
    }
    items.sort((a, b) => a.at - b.at)
    for (const at of fresh)
      items.splice(at % (items.length + 1), 0, { content: this.text('a'), status: 'pending', means: null, at: 0 })
    const number = NUMBERINGS[numbering] ?? (() => undefined)
    const todos = items.map(({ content, status }, i) => {
      const id = number(i, luck[i % luck.length] ?? 0)
      return { content, status, ...(id === undefined ? {} : { id }) }
    })
    const before = this.steps
    // A list that holds all else of the list before is that one with other texts, those of others too (O35).
    const isInOrder = [0, 1].some((first) =>
      todos.every(({ id }, i) => Number(String(id).replace(/^\D*/, '') || NaN) === i + first),
    )
    const unlisted = this.order.filter((id) => {
      return this.plan.plan.step(id) !== undefined && !items.some(({ means }) => means === id)
    })
    const isSame =
      isInOrder && items.some(({ means }) => this.order.includes(means as StepId)) && unlisted.length === fresh.length
    const isAlone = this.plan.plan.steps.every(({ createdBy, updatedBy }) => createdBy === A && updatedBy === A)
    const reply = await this.plan.call(A, 'write_todos', { todos })
    this.log.push(`a: ${JSON.stringify(todos)}\n  -> ${reply.text}`)
    assert(reply.success, reply.text)
    const news = new Set(items.flatMap(({ content, means }) => (means === null ? [content] : [])))
    for (const was of before)
      this.#check(
        was,
        items.find(({ means }) => means === was.id),
        news,
        isAlone || isSame,
      )
    for (const content of news) assert.equal(this.steps.filter(({ text }) => text === content).length, 1, content)
    // Nothing is there that nobody wrote.
    const texts = new Set([...before.map(({ text }) => text), ...news])
    for (const { text } of this.steps) assert(texts.has(text), `nobody wrote ${text}`)
    this.#learn(items)
  }

  /** One step of the plan before, after the write. */
  #check(was: Step, item: { status: Status } | undefined, news: ReadonlySet<string>, isMine: boolean): void {
    const now = this.plan.plan.step(was.id)
    const seen = this.known.get(was.id)
    if (item !== undefined && seen !== undefined) {
      assert.deepEqual([now?.text, now?.details], [was.text, was.details], `${was.text} was listed`)
      if (item.status === seen.status) assert.equal(now?.status, was.status, `${was.text} was listed as it was seen`)
      else if (was.status !== seen.status && isClosed(was.status) && !isClosed(item.status))
        assert.equal(now?.status, was.status, `${was.text} was closed unseen`)
      else assert.include([was.status, item.status], now?.status ?? 'gone', `${was.text} was set`)
      return
    }
    if (seen !== undefined && (this.own.has(was.id) || isMine)) {
      // What stood at the place of a new item of a numbered list is called anew.
      if (now !== undefined && news.has(now.text)) return
      const isAsSeen = seen.text === was.text && seen.details === was.details
      if (isAsSeen && this.own.has(was.id)) assert.isUndefined(now, `${was.text} was left out`)
      if (isAsSeen && now === undefined) return
    }
    assert.deepEqual(
      [now?.text, now?.status, now?.details],
      [was.text, was.status, was.details],
      `${was.text} was not meant`,
    )
  }

  #learn(items: readonly { content: string; means: StepId | null }[]): void {
    const order: StepId[] = []
    const byText = new Map(this.steps.map((step) => [step.text, step]))
    for (const id of this.known.keys()) if (this.plan.plan.step(id) === undefined) this.known.delete(id)
    for (const { content, means } of items) {
      const step = means === null ? byText.get(content) : this.plan.plan.step(means)
      if (step === undefined) continue
      this.known.set(step.id, { text: step.text, status: step.status, details: step.details })
      this.own.add(step.id)
      order.push(step.id)
    }
    this.order = order
  }
}
