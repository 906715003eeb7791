/* oxlint-disable vitest/no-standalone-expect -- the players check every call of theirs */
import { expect } from 'vitest'
import { progressOf } from '../../shared/plan/progress.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { Status } from '../../shared/schema/plan.ts'
import { Dice } from './dice.ts'
import type { Called, Effect, World } from './world.ts'

/** A task of the agent's own list. */
interface Item {
  /** null: it is to be a new one. */
  readonly id: StepId | null
  readonly content: string
  readonly status: Status
}

/** What one write is to do, beside saying the rest of the list again. */
interface Wanted {
  readonly items: readonly Item[]
  readonly renamed: ReadonlySet<StepId>
  readonly marked: ReadonlySet<StepId>
}

const WRITTEN: readonly Status[] = ['pending', 'in_progress', 'completed', 'blocked']
const NOBODY: ReadonlySet<StepId> = new Set()

/**
 * An agent that keeps a list of its own and writes the whole of it each time. What it read by `read_todos` is its list
 * from then on.
 */
export class ChecklistAgent {
  readonly #name: string
  readonly #world: World
  /** Whether it numbers its list from 1 anew at each write, as many models do. */
  readonly #isNumbered: boolean
  #dice: Dice = new Dice([])
  #list: readonly Item[] = []
  readonly #everListed = new Set<StepId>()
  readonly #told = new Set<string>()
  /** The text of each step as it read or wrote it last. */
  readonly #texts = new Map<StepId, string>()

  constructor(name: string, world: World, isNumbered: boolean) {
    this.#name = name
    this.#world = world
    this.#isNumbered = isNumbered
  }

  async act(dice: Dice): Promise<void> {
    this.#dice = dice
    if (dice.once(8)) return this.#read()
    const wanted = this.#choose()
    const todos = wanted.items.map(({ content, status }, i) => ({
      content,
      status,
      ...(this.#isNumbered ? { id: String(i + 1) } : {}),
    }))
    const called = await this.#world.call(this.#name, 'checklist', 'write_todos', { todos })
    expect(called.reply.success, called.reply.text).toBe(true)
    this.#check(wanted, called)
  }

  async #read(): Promise<void> {
    const { reply, effect } = await this.#world.call(this.#name, 'checklist', 'read_todos', {})
    effect.expectNothing()
    const shown = effect.after.steps.map(({ text, status }) => ({ content: text, status }))
    const read = JSON.parse(reply.text) as unknown[]
    expect(read).toMatchObject(shown)
    expect(read).toHaveLength(shown.length)
    this.#list = effect.after.steps.map(({ id, text, status }) => ({ id, content: text, status }))
    for (const { id, text } of effect.after.steps) this.#texts.set(id, text)
  }

  #choose(): Wanted {
    const dice = this.#dice
    const items = [...this.#list]
    const kind = dice.below(10)
    const at = dice.below(items.length)
    const item = items[at]
    const rest = { items, renamed: NOBODY, marked: NOBODY }
    if (item?.id === undefined || item.id === null || kind < 3) {
      const fresh = Array.from({ length: 1 + dice.below(2) }, (): Item => {
        return { id: null, content: this.#world.text(), status: dice.of(WRITTEN) ?? 'pending' }
      })
      items.splice(dice.below(items.length + 1), 0, ...fresh)
      return rest
    }
    if (kind < 5) {
      const status = dice.of(WRITTEN) ?? 'pending'
      items[at] = { ...item, status }
      return { ...rest, marked: status === item.status ? NOBODY : new Set([item.id]) }
    }
    if (kind < 7) {
      items.splice(at, 1)
      return rest
    }
    if (kind < 8) {
      items.splice(at, 1)
      items.splice(dice.below(items.length + 1), 0, item)
      return rest
    }
    if (kind < 9 && this.#isNumbered) {
      items[at] = { ...item, content: this.#world.text() }
      return { ...rest, renamed: new Set([item.id]) }
    }
    return rest
  }

  #check({ items, renamed, marked }: Wanted, { reply, effect }: Called): void {
    const { before, after } = effect
    const listed = new Set(items.flatMap(({ id }) => id ?? []))
    for (const { id, text } of effect.changed('text')) {
      expect(renamed.has(id), `${this.#name} never meant to rename "${before.step(id)?.text}" to "${text}"`).toBe(true)
      expect(items.find((item) => item.id === id)?.content).toBe(text)
    }
    for (const { id, text, status } of effect.changed('status')) {
      expect(marked.has(id), `${this.#name} never meant to set "${text}" to ${status}`).toBe(true)
      expect(items.find((item) => item.id === id)?.status).toBe(status)
    }
    for (const { id, text } of effect.removed) {
      expect(this.#everListed.has(id), `${this.#name} never listed "${text}", and removed it`).toBe(true)
      expect(listed.has(id), `${this.#name} lists "${text}", and removed it`).toBe(false)
      expect(this.#texts.get(id), `${this.#name} removed a step that was reworded`).toBe(text)
    }
    // Where nothing else of the list is there, it may be another list: then a step of others gets no new name.
    const isFoundAgain = items.some(({ id }) => id !== null && !renamed.has(id) && before.step(id) !== undefined)
    const isNew = ({ id }: Item): boolean =>
      id === null ||
      before.step(id) === undefined ||
      (!isFoundAgain && !this.#everListed.has(id) && before.step(id)?.text === after.step(id)?.text)
    const fresh = items.filter((item) => item.id === null || (renamed.has(item.id) && isNew(item)))
    expect(effect.created.map(({ text }) => text).toSorted()).toEqual(fresh.map(({ content }) => content).toSorted())
    // What climbs keeps the group that it inherited; nothing else changes its group.
    for (const { id, text } of effect.changed('group'))
      expect(after.step(before.step(id)?.parent ?? id), `"${text}" is in another group now`).toBeUndefined()
    this.#checkReply(reply.text, effect)
    this.#learn(items, reply.text, effect)
  }

  /** The lines of a reply say what was done, and how far the plan is then. */
  #checkReply(text: string, effect: Effect): void {
    const { before, after, created, removed } = effect
    const lines = text.split('\n')
    const { completed, total } = progressOf(after.steps)
    expect(lines[0]).toBe(`Updated todo list v${this.#world.room.version}: ${completed}/${total} completed`)
    const renamed = effect.changed('text')
    const told = (mark: string): string[] => lines.filter((line) => line.startsWith(`  ${mark} `)).toSorted()
    expect(told('+')).toEqual([...created, ...renamed].map((step) => `  + ${step.text} [${step.status}]`).toSorted())
    const gone = [...removed, ...renamed.flatMap(({ id }) => before.step(id) ?? [])]
    expect(told('-')).toEqual(gone.map((step) => `  - ${step.text}`).toSorted())
  }

  /** It takes over what it was told, or goes on with its own words. */
  #learn(items: readonly Item[], text: string, { after, created }: Effect): void {
    const made = new Map(created.map((step) => [step.text, step]))
    this.#list = items.flatMap((item): Item[] => {
      const step = made.get(item.content) ?? (item.id === null ? undefined : after.step(item.id))
      if (step === undefined) {
        expect(text, `nobody said that "${item.content}" was removed`).toContain(`"${item.content}" was removed`)
        return []
      }
      this.#everListed.add(step.id)
      this.#texts.set(step.id, step.text)
      if (step.text !== item.content) this.#expectTold(text, step.id, step.text)
      if (step.status !== item.status) this.#expectTold(text, step.id, `stays ${step.status}`)
      const isHeard = !this.#dice.once(3)
      return [isHeard ? { id: step.id, content: step.text, status: step.status } : { ...item, id: step.id }]
    })
  }

  /** What did not count was said, once. */
  #expectTold(text: string, id: StepId, words: string): void {
    const news = `${id} ${words}`
    if (!this.#told.has(news)) expect(text).toContain(words)
    this.#told.add(news)
  }
}
