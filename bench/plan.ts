/**
 * What a change of a plan costs, as a room pays it: checked, written, settled, compared and kept in the history.
 * `npm run bench:plan [-- steps...]` prints medians. Figures of different machines, or of a busy one, say nothing.
 */
import * as Y from 'yjs'
import { applyChange } from '../shared/plan/apply.ts'
import { checkOperations } from '../shared/plan/check.ts'
import { History } from '../shared/plan/history.ts'
import { PlanReader } from '../shared/plan/read.ts'
import { settle } from '../shared/plan/settle.ts'
import type { StepId } from '../shared/schema/ids.ts'
import { newStepId } from '../shared/schema/ids.ts'
import type { NewStep, PlanOperation } from '../shared/schema/operation.ts'
import type { Step } from '../shared/schema/plan.ts'

const SIZES = process.argv.slice(2).map(Number)
const ROUNDS = 40
const ACTOR = { id: 'bench', name: 'bench', kind: 'agent' } as const
const KIB = 1024

/** A plan as a room holds it. */
class Bench {
  readonly doc = new Y.Doc()
  readonly reader: PlanReader
  readonly history = new History(0)
  #at = 1_700_000_000_000

  constructor(snapshot?: Uint8Array) {
    if (snapshot !== undefined) Y.applyUpdate(this.doc, snapshot)
    this.reader = new PlanReader(this.doc)
  }

  run(operations: readonly PlanOperation[]): void {
    const before = this.reader.plan
    const change = checkOperations(before, operations, { by: ACTOR.name, at: this.#at++ })
    applyChange(this.doc, change, this)
    settle(this.doc, this.reader, null)
    this.history.record(ACTOR, before, this.reader.plan)
  }

  /** Removes steps from the end until at most so many are left. */
  makeRoom(most: number): void {
    const steps = this.steps.slice(most).map(({ id }) => id)
    if (steps.length > 0) this.run([{ type: 'removeSteps', steps, subSteps: false }])
  }

  get steps(): readonly Step[] {
    return this.reader.plan.steps
  }
  pick(): Step {
    const { steps } = this
    const step = steps[Math.floor(Math.random() * steps.length)]
    if (step === undefined) throw new Error('The plan is empty.')
    return step
  }
}

const newStep = (depth: number): NewStep => ({
  id: newStepId(),
  text: 'A step as agents write them, of some 60 characters or so',
  depth,
})

/** A plan nested three deep, each step with its creation and its number. */
function filled(size: number): Bench {
  const bench = new Bench()
  for (let done = 0; done < size;) {
    const steps = Array.from({ length: Math.min(500, size - done) }, (_, i) =>
      newStep(i % 10 === 0 ? 0 : (i % 10) % 3 === 1 ? 1 : 2),
    )
    bench.run([{ type: 'addSteps', parent: null, steps }])
    done += steps.length
  }
  return bench
}

function timed(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
const repeated = (work: () => void): number => median(Array.from({ length: 15 }, () => timed(work)))

const print = (name: string, figure: number, unit: string): void =>
  console.log(`  ${name.padEnd(44)}${figure.toFixed(figure < 10 ? 2 : 0).padStart(10)} ${unit}`)

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function measureOperations(size: number): void {
  const bench = filled(size)
  const siblingOf = (step: Step): StepId | null =>
    bench.steps.find((one) => one.parent === step.parent && one.id !== step.id)?.id ?? null
  const STATUSES = ['in_progress', 'completed', 'pending'] as const
  let turn = 0
  const measured: readonly (readonly [name: string, make: () => PlanOperation[]])[] = [
    [
      'setStep, status',
      () => [{ type: 'setStep', id: bench.pick().id, fields: { status: STATUSES[turn++ % 3] ?? 'pending' } }],
    ],
    [
      'setStep, text and startedBy',
      () => [{ type: 'setStep', id: bench.pick().id, fields: { text: `Text ${turn++}`, startedBy: `agent ${turn}` } }],
    ],
    ['addSteps, one at the end', () => [{ type: 'addSteps', parent: null, steps: [newStep(0)] }]],
    ['addSteps, one somewhere', () => [{ type: 'addSteps', parent: bench.pick().id, steps: [newStep(0)] }]],
    [
      'moveSteps, one among its siblings',
      () => {
        const step = bench.pick()
        return [{ type: 'moveSteps', steps: [step.id], parent: step.parent, after: siblingOf(step) }]
      },
    ],
    ['moveSteps, one from somewhere to the end', () => [{ type: 'moveSteps', steps: [bench.pick().id], parent: null }]],
    [
      'removeSteps, one with its sub-steps',
      () => [
        {
          type: 'removeSteps',
          steps: [bench.steps.findLast((one) => one.depth > 0)?.id ?? bench.pick().id],
          subSteps: true,
        },
      ],
    ],
    ['removeSteps, one, the rest climbs', () => [{ type: 'removeSteps', steps: [bench.pick().id], subSteps: false }]],
    [
      'setStep, 500 in one call',
      () =>
        bench.steps
          .slice(0, 500)
          .map(({ id }) => ({ type: 'setStep' as const, id, fields: { text: `Text ${turn++}` } })),
    ],
    [
      'addSteps, 50 somewhere',
      () => [{ type: 'addSteps', parent: bench.pick().id, steps: Array.from({ length: 50 }, () => newStep(0)) }],
    ],
    [
      'removeSteps, 50',
      () => [{ type: 'removeSteps', steps: bench.steps.slice(100, 150).map(({ id }) => id), subSteps: false }],
    ],
  ]
  for (const [name, make] of measured) {
    const times: number[] = []
    for (let i = 0; i < Math.min(ROUNDS, size / 5); i++) {
      bench.makeRoom(size - 50)
      const made = make()
      times.push(timed(() => bench.run(made)))
    }
    print(name, median(times), 'ms')
  }
}

function measureOpening(size: number): void {
  const bench = filled(size)
  let state = Y.encodeStateAsUpdate(bench.doc)
  print(
    'encoding',
    repeated(() => (state = Y.encodeStateAsUpdate(bench.doc))),
    'ms',
  )
  print('snapshot', state.length / KIB, 'KiB')
  print(
    'opening: load and first reading',
    repeated(() => new Bench(state).steps),
    'ms',
  )
  const before = heap()
  const opened = new Bench(state)
  const { length } = opened.steps
  print('heap of a step, document and plan', (heap() - before) / KIB / length, 'KiB')
}

/** Every change comes from another writer than the one before, so deleted patches do not melt into one. */
function measureAlternating(changes: number): void {
  const bench = filled(200)
  const other = new Y.Doc()
  Y.applyUpdate(other, Y.encodeStateAsUpdate(bench.doc))
  const reader = new PlanReader(other)
  bench.doc.on(
    'update',
    (update: Uint8Array, origin: unknown) => origin === other || Y.applyUpdate(other, update, bench.doc),
  )
  other.on(
    'update',
    (update: Uint8Array, origin: unknown) => origin === bench.doc || Y.applyUpdate(bench.doc, update, other),
  )
  const bytes = Y.encodeStateAsUpdate(bench.doc).length
  const held = heap()
  for (let i = 0; i < changes; i++) {
    const [doc, { plan }] = i % 2 === 0 ? [bench.doc, bench.reader] : [other, reader]
    const id = plan.at(1 + (i % 200))?.id as StepId
    const status = i % 400 < 200 ? 'completed' : 'pending'
    applyChange(doc, checkOperations(plan, [{ type: 'setStep', id, fields: { status } }], { by: 'bench', at: i }), null)
  }
  print('alternating writers, bytes a change', (Y.encodeStateAsUpdate(bench.doc).length - bytes) / changes, 'B')
  print('alternating writers, heap a change and replica', (heap() - held) / 2 / changes / KIB, 'KiB')
}

for (const size of SIZES.length > 0 ? SIZES : [100, 1_000, 10_000]) {
  console.log(`${size} steps`)
  measureOperations(size)
  measureOpening(size)
}
console.log('200 steps, 10,000 changes')
measureAlternating(10_000)
