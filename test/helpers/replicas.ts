/**
 * Copies of a plan that change it and exchange updates as they come to hand, all from one seed.
 */
import * as prng from 'lib0/prng'
import * as Y from 'yjs'
import { prepareCall } from '../../shared/dialects/call.ts'
import { TOOLS } from '../../shared/dialects/registry.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { PlanError } from '../../shared/schema/errors.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { NewStep, Place, PlanOperation, RestoredStep, StepFields } from '../../shared/schema/operation.ts'
import type { DependencyTarget, Status, Step } from '../../shared/schema/plan.ts'
import { STATUSES } from '../../shared/schema/plan.ts'

/** Everything random in a run. Ids are as random as real ones, and the same for the same seed. */
export class Chance {
  readonly #from: prng.PRNG
  #texts = 0
  /** Mixed first: the generator starts alike for seeds that are close to each other. */
  constructor(seed: number) {
    this.#from = prng.create(Math.imul(seed + 1, 0x9e37_79b1) >>> 0)
    for (let i = 0; i < 8; i++) this.below(2)
  }
  /** An integer from 0, below `end`. */
  below(end: number): number {
    return end <= 0 ? 0 : prng.int32(this.#from, 0, end - 1)
  }
  /** Whether something happens that happens once in so many times. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0
  }
  of<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('There is nothing to choose from.')
    return values[this.below(values.length)] as T
  }
  some<T>(values: readonly T[], most: number): T[] {
    return this.shuffled(values).slice(0, 1 + this.below(most))
  }
  shuffled<T>(values: readonly T[]): T[] {
    const left = [...values]
    for (let i = left.length - 1; i > 0; i--) {
      const other = this.below(i + 1)
      ;[left[i], left[other]] = [left[other] as T, left[i] as T]
    }
    return left
  }
  id(): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
    return Array.from({ length: 16 }, () => letters[this.below(letters.length)]).join('')
  }
  stepId = (): StepId => this.id() as StepId
  groupId = (): GroupId => this.id() as GroupId
  /** A text that occurs once in a run. */
  text(): string {
    return `text ${++this.#texts}`
  }
}

const newSteps = (chance: Chance, most = 4): NewStep[] => {
  let depth = -1
  return Array.from({ length: 1 + chance.below(most) }, () => {
    depth = chance.below(depth + 2)
    return {
      id: chance.stepId(),
      text: chance.text(),
      depth,
      ...(chance.once(4) ? { status: chance.of(STATUSES) } : {}),
    }
  })
}

function place(chance: Chance, plan: Plan): Place {
  const parent = plan.steps.length === 0 || chance.once(3) ? null : chance.of(plan.steps).id
  const siblings = plan.children(parent)
  if (siblings.length === 0 || chance.once(3)) return { parent }
  return { parent, after: chance.once(4) ? null : chance.of(siblings) }
}

/** Fields as a caller may set them; texts are unique, so that it can be told whose write shows. */
function fields(chance: Chance, plan: Plan): StepFields {
  const make: readonly (() => StepFields)[] = [
    () => ({ text: chance.text() }),
    () => ({ details: chance.once(4) ? '' : chance.text() }),
    () => ({ status: chance.of<Status>(STATUSES) }),
    () => ({ required: chance.once(2) }),
    () => ({ alias: chance.once(3) ? null : chance.text() }),
    () => ({ startedBy: chance.text() }),
    () => ({ group: plan.groups.length === 0 || chance.once(4) ? null : chance.of(plan.groups).id }),
    () => ({ dependencies: targets(chance, plan) }),
  ]
  return Object.assign({}, ...chance.some(make, 2).map((one) => one())) as StepFields
}

const targets = (chance: Chance, plan: Plan): DependencyTarget[] =>
  Array.from({ length: chance.below(4) }, () =>
    chance.once(3)
      ? { name: chance.once(2) ? `task-${1 + chance.below(30)}` : 'somebody' }
      : { step: chance.of(plan.steps).id },
  )

/** A removed step as somebody who remembers it brings it back. */
const restored = (
  chance: Chance,
  plan: Plan,
  { id, text, details, status, group, createdBy, createdAt }: Step,
): RestoredStep => ({
  id,
  fields: { text, details, status, group },
  createdBy,
  createdAt,
  ...place(chance, plan),
})

/** One random operation that fits the plan, or nearly. @param removed steps that were there once */
export function randomOperation(chance: Chance, plan: Plan, removed: readonly Step[]): PlanOperation {
  const one = (): StepId => chance.of(plan.steps).id
  if (plan.steps.length === 0 || chance.once(5))
    return { type: 'addSteps', steps: newSteps(chance), ...place(chance, plan) }
  const gone = removed.filter(({ id }) => plan.step(id) === undefined)
  const make: readonly (() => PlanOperation)[] = [
    () => ({ type: 'setStep', id: one(), fields: fields(chance, plan) }),
    () => ({ type: 'setStep', id: one(), fields: fields(chance, plan) }),
    () => ({ type: 'setStep', id: one(), fields: fields(chance, plan) }),
    () => ({ type: 'moveSteps', steps: chance.some(plan.steps, 3).map(({ id }) => id), ...place(chance, plan) }),
    () => ({ type: 'moveSteps', steps: [one()], ...place(chance, plan) }),
    () => ({ type: 'removeSteps', steps: chance.some(plan.steps, 2).map(({ id }) => id), subSteps: chance.once(3) }),
    () =>
      gone.length === 0
        ? { type: 'setTitle', title: chance.text() }
        : { type: 'restoreSteps', steps: [restored(chance, plan, chance.of(gone))] },
    () => ({ type: 'addGroup', id: chance.groupId(), title: `group ${chance.below(4)}` }),
    () =>
      plan.groups.length === 0
        ? { type: 'setTitle', title: 'title' }
        : {
            type: 'setGroup',
            id: chance.of(plan.groups).id,
            title: `group ${chance.below(6)}`,
            testsVerified: chance.once(2),
          },
    () =>
      plan.groups.length === 0
        ? { type: 'setTitle', title: chance.text() }
        : { type: 'removeGroup', id: chance.of(plan.groups).id },
  ]
  return chance.of(make)()
}

/** A call as a model makes it. */
function randomCall(chance: Chance, plan: Plan): { tool: string; args: unknown } {
  const index = (): number => 1 + chance.below(plan.steps.length + 1)
  const indices = Array.from({ length: 1 + chance.below(3) }, index)
  const steps = newSteps(chance).map(({ text, depth }) => ({ text, depth }))
  const made: Readonly<Record<string, unknown>> = {
    add_todos: chance.once(2) ? { steps } : { steps, parent_index: index() },
    toggle_todos: { indices },
    update_todos: { updates: indices.map((at) => ({ index: at, text: chance.text() })) },
    remove_todos: { indices: indices.slice(0, 1) },
  }
  const tool = chance.of([...TOOLS.keys()])
  return { tool, args: made[tool] ?? TOOLS.get(tool)?.tool.example }
}

/** One copy of a plan, and whoever changes it. */
export class Replica {
  readonly name: string
  readonly #chance: Chance
  readonly #told: (update: Uint8Array) => void
  readonly history = new History(0)
  doc!: Y.Doc
  reader!: PlanReader
  #at = 0

  /** @param told called for each update that this copy makes itself */
  constructor(name: string, chance: Chance, told: (update: Uint8Array) => void) {
    this.name = name
    this.#chance = chance
    this.#told = told
    this.open(null)
  }

  get plan(): Plan {
    return this.reader.plan
  }

  /** Starts over from what is kept; as a browser that was closed does, under a new client id. */
  open(state: Uint8Array | null): void {
    this.doc = new Y.Doc()
    this.doc.clientID = 1 + this.#chance.below(2 ** 31 - 2)
    if (state !== null) Y.applyUpdate(this.doc, state, 'remote')
    this.reader = new PlanReader(this.doc)
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'remote') this.#told(update)
    })
  }

  /** @returns what was written, and how it was asked for; null if nothing was */
  act(removed: readonly Step[]): { change: PlanChange; asked: string } | null {
    const stamp = { by: this.name, at: ++this.#at }
    const { plan } = this
    let asked: string
    let change: PlanChange
    if (this.#chance.once(4)) {
      const { tool, args } = randomCall(this.#chance, plan)
      const known = TOOLS.get(tool)
      if (known === undefined) throw new Error(`There is no tool ${tool}.`)
      const actor = { id: this.name, name: this.name, kind: 'agent' } as const
      const { stepId, groupId } = this.#chance
      const ids = { newStepId: stepId, newGroupId: groupId }
      const context = {
        actor,
        plan,
        version: 0,
        view: null,
        places: new Map(),
        known: [],
        listed: new Set<never>(),
        overruled: new Map(),
        lastList: null,
        history: this.history,
        ...ids,
      }
      const prepared = prepareCall(known.tool, args, context, stamp)
      if (prepared.kind === 'refused') return null
      asked = `${tool} ${JSON.stringify(args)}`
      change = prepared.change
    } else {
      const operations = Array.from({ length: 1 + this.#chance.below(3) }, () =>
        randomOperation(this.#chance, plan, removed),
      )
      asked = JSON.stringify(operations)
      try {
        change = checkOperations(plan, operations, stamp)
      } catch (error) {
        if (error instanceof PlanError) return null
        throw new Error(`Checking broke on ${asked}`, { cause: error })
      }
    }
    if (isEmpty(change)) return null
    applyChange(this.doc, change, 'own')
    return { change, asked }
  }
}
