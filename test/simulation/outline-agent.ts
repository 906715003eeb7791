/* oxlint-disable vitest/no-standalone-expect -- the players check every call of theirs */
import { expect } from 'vitest'
import type { ToolReply } from '../../shared/dialects/call.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { Status } from '../../shared/schema/plan.ts'
import type { Envelope } from '../helpers/plan-driver.ts'
import { envelopeOf } from '../helpers/plan-driver.ts'
import { Dice } from './dice.ts'
import type { Called, Effect, World } from './world.ts'

/** The step that an agent means by each number. */
type Numbers = ReadonlyMap<number, StepId>

interface Wanted {
  readonly tool: 'add_todos' | 'toggle_todos' | 'update_todos' | 'remove_todos'
  /** The numbers that the call names, distinct. */
  readonly numbers: readonly number[]
  readonly args: object
}

const LINE = /^#(\d+) {2}[\d.…]+ {2}\[(.)\] (.*)$/
const MARKS: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '*',
  completed: 'x',
  cancelled: '-',
  blocked: '!',
}

/** An agent that means by a number the step of which it was last told that it stands there, by a list or by a note. */
export class OutlineAgent {
  readonly #name: string
  readonly #world: World
  #dice: Dice = new Dice([])
  #numbers: Numbers = new Map()
  /** What the numbers meant at each version that was printed or told. */
  readonly #numbersAt = new Map<number, Numbers>()
  /** What it knows of the status of each step that it has seen: what it was shown, or did itself. */
  readonly #statuses = new Map<StepId, Status>()

  constructor(name: string, world: World) {
    this.#name = name
    this.#world = world
  }

  async act(dice: Dice): Promise<void> {
    this.#dice = dice
    if (this.#dice.once(6)) return this.#list()
    if (this.#dice.once(12)) return this.#actTogether()
    const wanted = this.#choose()
    const called = await this.#world.call(this.#name, 'outline', wanted.tool, wanted.args)
    if (called.reply.success) return this.#check([[wanted, called]], this.#numbers)
    await this.#refused(wanted, envelopeOf(called.reply))
  }

  async #list(): Promise<void> {
    const { reply, effect } = await this.#world.call(this.#name, 'outline', 'list_todos', {})
    effect.expectNothing()
    const { summary, version } = envelopeOf(reply)
    this.#learnList(summary, effect.after, version)
  }

  #learnList(list: string, plan: Plan, version: number): void {
    const lines = list.split('\n').flatMap((line) => LINE.exec(line) ?? [])
    expect(list.split('\n').filter((line) => LINE.test(line))).toHaveLength(plan.steps.length)
    expect(lines.length).toBe(plan.steps.length * 4)
    const numbers = new Map<number, StepId>()
    for (const [i, step] of plan.steps.entries()) {
      expect(lines.slice(i * 4 + 1, i * 4 + 4)).toEqual([`${i + 1}`, MARKS[step.status], step.text])
      numbers.set(i + 1, step.id)
      this.#statuses.set(step.id, step.status)
    }
    this.#numbers = numbers
    this.#numbersAt.set(version, numbers)
  }

  /** Two calls from one list: neither has seen the reply to the other. */
  async #actTogether(): Promise<void> {
    const both = [this.#choose(), this.#choose()]
    const numbers = this.#numbers
    const called = await this.#world.callTogether(this.#name, 'outline', both)
    const done = both.flatMap((wanted, i) => (called[i]?.reply.success ? [[wanted, called[i]] as const] : []))
    this.#check(done, numbers)
    if (done.length < both.length) await this.#list()
  }

  #choose(): Wanted {
    const dice = this.#dice
    const known = [...this.#numbers.keys()]
    const numbers = [...new Set(Array.from({ length: 1 + dice.below(3) }, () => dice.of(known)))].flatMap(
      (n) => n ?? [],
    )
    const kind = dice.below(10)
    if (numbers.length === 0 || kind < 4) {
      const parent = dice.once(2) ? numbers.slice(0, 1) : []
      const steps = Array.from({ length: 1 + dice.below(2) }, (_, i) => ({
        text: this.#world.text(),
        depth: i * dice.below(2),
      }))
      const below = parent[0] === undefined ? {} : { parent_index: parent[0] }
      return { tool: 'add_todos', numbers: parent, args: { steps, ...below } }
    }
    if (kind < 7) return { tool: 'toggle_todos', numbers, args: { indices: numbers } }
    if (kind < 9)
      return {
        tool: 'update_todos',
        numbers,
        args: { updates: numbers.map((index) => ({ index, text: this.#world.text() })) },
      }
    // The highest number is given again once its task is gone.
    const newest = [...this.#numbers].toSorted(([, a], [, b]) => this.#numberOf(b) - this.#numberOf(a))[0]
    const gone = dice.once(2) && newest !== undefined ? [newest[0]] : numbers.slice(0, 1)
    return { tool: 'remove_todos', numbers: gone, args: { indices: gone } }
  }

  #numberOf(id: StepId): number {
    return this.#world.plan.step(id)?.number ?? 0
  }

  /** It repeats with the version that the refusal names, or lists. */
  async #refused(wanted: Wanted, { summary, version }: Envelope): Promise<void> {
    const list = summary.split('\n').slice(1)
    if (list.some((line) => LINE.test(line))) {
      this.#learnList(list.join('\n'), this.#world.plan, version)
      return
    }
    const rev = /repeat with rev (\d+)/i.exec(summary)?.[1]
    if (rev === undefined || this.#dice.once(2)) return this.#list()
    const numbers = this.#numbersAt.get(Number(rev))
    if (numbers === undefined) throw new Error(`rev ${rev} was offered, and never shown`)
    const args = { ...wanted.args, rev: Number(rev) }
    const called = await this.#world.call(this.#name, 'outline', wanted.tool, args)
    if (called.reply.success) this.#check([[wanted, called]], numbers)
    await this.#list()
  }

  /** What calls may have done, each by what its numbers meant to their author; then what their replies told. */
  #check(done: readonly (readonly [Wanted, Called])[], meant: Numbers): void {
    const effect = done[0]?.[1].effect
    if (effect === undefined) return
    const idsOf = (tool: Wanted['tool']): Set<StepId> =>
      new Set(
        done
          .filter(([wanted]) => wanted.tool === tool)
          .flatMap(([{ numbers }]) => numbers.flatMap((n) => meant.get(n) ?? [])),
      )
    const toggled = idsOf('toggle_todos')
    for (const { id, text, status } of effect.changed('status')) {
      expect(toggled.has(id), `${this.#name} never meant to toggle "${text}"`).toBe(true)
      const known = this.#statuses.get(id)
      if (done.length === 1) expect(status).toBe(known === 'completed' ? 'pending' : 'completed')
    }
    const renamed = idsOf('update_todos')
    for (const { id } of effect.changed('text'))
      expect(renamed.has(id), `${this.#name} never meant to rename "${effect.before.step(id)?.text}"`).toBe(true)
    const removed = new Set(
      [...idsOf('remove_todos')].flatMap((id) => effect.before.subtree(id).map((step) => step.id)),
    )
    for (const { id, text } of effect.removed) {
      expect(removed.has(id), `${this.#name} never meant to remove "${text}"`).toBe(true)
      expect(this.#statuses.has(id), `${this.#name} never saw "${text}", and removed it`).toBe(true)
    }
    const parents = new Set<StepId | null>([null, ...idsOf('add_todos'), ...effect.created.map(({ id }) => id)])
    for (const { parent, text } of effect.created)
      expect(parents.has(parent), `"${text}" was put below a step that was not meant`).toBe(true)
    for (const [wanted, { reply }] of done) this.#learn(wanted, reply, effect, meant, done.length === 1)
  }

  #learn(wanted: Wanted, reply: ToolReply, effect: Effect, meant: Numbers, isAlone: boolean): void {
    const { summary, notes = [], version } = envelopeOf(reply)
    const { after } = effect
    for (const step of [...effect.created, ...effect.changed('status')]) this.#statuses.set(step.id, step.status)
    for (const [, n, state] of isAlone ? summary.matchAll(/#(\d+) now (done|pending)/g) : []) {
      const id = meant.get(Number(n))
      const isDone = id !== undefined && after.step(id)?.status === 'completed'
      expect(isDone ? 'done' : 'pending', `${n} in: ${summary}`).toBe(state)
    }
    if (!this.#world.isShared(this.#name)) {
      this.#numbers = new Map(after.steps.map(({ id }, i) => [i + 1, id]))
    } else if (notes.includes('many numbers have moved: list first')) {
      this.#numbers = new Map()
    } else {
      const next = new Map(this.#numbers)
      const places = notes.flatMap((note) => [...note.matchAll(/#(\d+)(?: to #(\d+))? (?:is|are) now #(\d+)/g)])
      const moves = places.flatMap(([, from, to, at]) =>
        Array.from(
          { length: Number(to ?? from) - Number(from) + 1 },
          (_, k) => [Number(from) + k, Number(at) + k] as const,
        ),
      )
      for (const [from] of moves) next.delete(from)
      for (const [from, to] of moves) {
        const id = this.#numbers.get(from)
        if (id !== undefined) next.set(to, id)
      }
      for (const [n, id] of placesTold(notes, wanted, effect)) {
        next.set(n, id)
        if (isAlone) expect(after.placeOf(id), `${String(notes)} of ${JSON.stringify(wanted.args)}`).toBe(n)
      }
      this.#numbers = next
    }
    this.#numbersAt.set(version, this.#numbers)
  }
}

/** The numbers that a reply gives to the steps of its call, in their order. */
function placesTold(notes: readonly string[], { args }: Wanted, { created }: Effect): [number, StepId][] {
  const own = created.filter(({ text }) => JSON.stringify(args).includes(`"${text}"`))
  const numbers = notes
    .filter((note) => /^(?:it is|they are) #/.test(note))
    .flatMap((note) => [...note.matchAll(/#(\d+)(?: to #(\d+))?/g)])
    .flatMap(([, from, to]) =>
      Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, k) => Number(from) + k),
    )
  return own.flatMap(({ id }, i) => (numbers[i] === undefined ? [] : [[numbers[i], id]]))
}
