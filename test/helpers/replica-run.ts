import * as Y from 'yjs'
import { validateUpdate } from '../../server/rooms/validate-update.ts'
import { rootsOf } from '../../shared/plan/document.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader, readPlan } from '../../shared/plan/read.ts'
import { settle, SETTLING } from '../../shared/plan/settle.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { Step } from '../../shared/schema/plan.ts'
import { Chance, Replica } from './replicas.ts'

const ACTIONS = 60

function same<T>(actual: T, expected: T, words: string): void {
  if (actual !== expected) throw new Error(`${words}: expected ${String(expected)}, got ${String(actual)}`)
}

/** All that a plan shows, as text: comparing objects would take most of the time. */
const contents = ({ title, steps, groups, removedNumbers }: Plan): string => {
  const numbers = [...removedNumbers].sort(([a], [b]) => (a < b ? -1 : 1))
  return [{ title, groups, numbers }, ...steps].map((one) => JSON.stringify(one)).join('\n')
}

/** What settling must leave as it reads: all but what only the server gives, and the names that it binds. */
const readable = ({ title, groups, steps }: Plan): string =>
  [{ title, groups }, ...steps.map((step) => ({ ...step, number: 0, dependencies: [], claim: null, startedBy: '' }))]
    .map((one) => JSON.stringify(one))
    .join('\n')

/** What an update holds that the document does not have yet. */
function newContents(doc: Y.Doc, update: Uint8Array): unknown[] {
  return Y.decodeUpdate(update).structs.flatMap((one): unknown[] =>
    'content' in one && one.content instanceof Y.ContentAny && one.id.clock >= Y.getState(doc.store, one.id.client)
      ? one.content.arr
      : [],
  )
}

interface Write {
  readonly writer: string
  readonly value: unknown
}

/** Five copies of a plan, one of them the server's, under everything that a network and its users do to them. */
export class ReplicaRun {
  readonly log: string[] = []
  readonly #chance: Chance
  readonly #sent: { readonly from: Replica; readonly update: Uint8Array }[] = []
  readonly #replicas: readonly Replica[]
  readonly #server: Replica
  /** Updates that wait outside of the server's document for what they need. */
  #parked: Uint8Array[] = []
  readonly #created = new Set<StepId>()
  readonly #removed = new Map<StepId, Step>()
  readonly #restored = new Set<StepId>()
  /** By step and field, in the order of time. */
  readonly #writes = new Map<string, Write[]>()
  /** For the same, how far each writer's writes were seen on the server. */
  readonly #seen = new Map<string, number>()
  /** Steps and fields whose value a cut update took away without bringing another. */
  readonly #uncovered = new Set<string>()
  #numbers = new Map<StepId, number>()

  constructor(seed: number) {
    this.#chance = new Chance(seed)
    this.#replicas = ['server', 'a', 'b', 'c', 'd'].map((name) => {
      const replica: Replica = new Replica(name, this.#chance, (update) => this.#sent.push({ from: replica, update }))
      return replica
    })
    this.#server = this.#replicas[0] as Replica
  }

  all(): void {
    for (let i = 0; i < ACTIONS; i++) this.#action()
    this.#meet()
    this.#judge()
  }

  #action(): void {
    const replica = this.#chance.of(this.#replicas)
    const turn = this.#chance.below(20)
    if (turn === 0 && replica !== this.#server) this.#claimNumber(replica)
    else if (turn < 9) this.#act(replica)
    else if (turn < 19) this.#exchange(replica)
    else this.#reload(replica)
    same(contents(replica.plan), contents(readPlan(replica.doc)), 'kept up to date is read afresh')
  }

  #act(replica: Replica): void {
    const { plan } = replica
    const done = replica.act([...this.#removed.values()])
    if (done === null) return
    this.log.push(`${replica.name} does ${done.asked}`)
    this.#remember(replica, plan, done.change)
    if (replica === this.#server) this.#settle(null)
  }

  /** A copy that another server has numbered, or one that forges. */
  #claimNumber({ name, doc, plan }: Replica): void {
    if (plan.steps.length === 0) return
    const { id } = this.#chance.of(plan.steps)
    const number = this.#chance.once(5) ? 1_000_000 + this.#chance.below(3) : 1 + this.#chance.below(40)
    this.log.push(`${name} gives ${id} the number ${number}`)
    rootsOf(doc).steps.push([{ id, number, startedBy: this.#chance.text() }])
  }

  #remember({ name: writer }: Replica, before: Plan, { patches, tombstones }: PlanChange): void {
    for (const { id } of tombstones) {
      const step = before.step(id)
      if (step !== undefined) this.#removed.set(id, step)
    }
    for (const { id, ...fields } of patches) {
      if (fields.removed === false) this.#restored.add(id)
      else if (fields.createdAt !== undefined) this.#created.add(id)
      for (const [field, value] of Object.entries(fields)) {
        const writes = this.#writes.get(`${id} ${field}`)
        if (writes === undefined) this.#writes.set(`${id} ${field}`, [{ writer, value }])
        else writes.push({ writer, value })
      }
    }
  }

  /** The server's: after its own change, or somebody else's. */
  #settle(before: Plan | null): void {
    const { doc, reader } = this.#server
    const shown = reader.plan
    // A cut update can take a step's patches away before its tombstone has come; settling puts one there.
    const lost = before?.steps.some(
      ({ id }) => reader.fold.record(id)?.fields.removed === undefined && shown.step(id) === undefined,
    )
    let written = 0
    const count = (_update: Uint8Array, origin: unknown): void => void (written += origin === SETTLING ? 1 : 0)
    doc.on('update', count)
    settle(doc, reader, before)
    if (lost !== true) same(readable(reader.plan), readable(shown), 'settling changes nothing that reading showed')
    written = 0
    const again = new PlanReader(doc)
    settle(doc, again, null)
    settle(doc, again, reader.plan)
    again.destroy()
    doc.off('update', count)
    same(written, 0, 'settling is quiet the second time')
    const outline = rootsOf(doc).outline.toArray()
    same(new Set(outline).size, outline.length, 'nothing stands twice in the outline')
    this.#watchNumbers()
    this.#watchValues()
  }

  #watchNumbers(): void {
    const { steps } = this.#server.plan
    const numbers = new Map<StepId, number>()
    for (const { id, number } of steps) {
      same(number === null, false, `${id} has a number`)
      if (number === null) continue
      same(number, this.#numbers.get(id) ?? number, `${id} keeps its number`)
      numbers.set(id, number)
    }
    same(new Set(numbers.values()).size, steps.length, 'no number is given twice')
    this.#numbers = numbers
  }

  /** Of each writer the server never shows an older value after a newer one. */
  #watchValues(): void {
    for (const step of this.#server.plan.steps) {
      for (const field of ['text', 'details'] as const) {
        if (step[field] === '' || this.#restored.has(step.id)) continue
        if (this.#uncovered.has(`${step.id} ${field}`)) continue
        const writes = this.#writes.get(`${step.id} ${field}`) ?? []
        // Tools write the same text at times: it is taken for the latest of them.
        const at = writes.findLastIndex(({ value }) => value === step[field])
        const key = `${step.id} ${field} ${writes[at]?.writer}`
        same(at >= (this.#seen.get(key) ?? -1), true, `${key}: nothing older after something newer`)
        this.#seen.set(key, at)
      }
    }
  }

  /** A copy gets some of what there is, in no order, some of it twice, some of it cut in pieces. */
  #exchange(to: Replica): void {
    const from = this.#chance.of(this.#replicas)
    const kind = this.#chance.below(6)
    if (kind === 0 && from !== to) {
      this.log.push(`${to.name} gets all of ${from.name}`)
      return this.#deliver(to, Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc)))
    }
    if (kind === 1 && from !== to && to !== this.#server) {
      this.log.push(`${to.name} gets all of ${from.name}, as V2`)
      return Y.applyUpdateV2(to.doc, Y.encodeStateAsUpdateV2(from.doc, Y.encodeStateVector(to.doc)), 'remote')
    }
    if (this.#sent.length === 0) return
    const chosen = this.#chance.some(this.#sent, 1 + this.#sent.length / 3).map(({ update }) => update)
    if (this.#chance.once(3)) chosen.push(this.#chance.of(chosen))
    this.log.push(`${to.name} gets ${chosen.length} of ${this.#sent.length}, ${kind}`)
    if (kind === 2) return this.#deliver(to, Y.mergeUpdates(chosen))
    for (const update of chosen) {
      // Cut off what a third one has already, known here or not.
      const piece = kind === 3 ? Y.diffUpdate(update, Y.encodeStateVector(from.doc)) : update
      const doubled = kind === 4 ? Y.convertUpdateFormatV2ToV1(Y.convertUpdateFormatV1ToV2(piece)) : piece
      this.#deliver(to, doubled)
    }
  }

  #deliver(to: Replica, update: Uint8Array): void {
    if (to !== this.#server) return Y.applyUpdate(to.doc, update, 'remote')
    if (!this.#take(update)) this.#parked.push(update)
    else this.#drain()
  }

  #drain(): void {
    for (let before = -1; before !== this.#parked.length;) {
      before = this.#parked.length
      this.#parked = this.#parked.filter((update) => !this.#take(update))
    }
  }

  #take(update: Uint8Array): boolean {
    const { doc, plan } = this.#server
    const verdict = validateUpdate(doc, update, { reserved: () => false })
    same(verdict.kind === 'refused', false, 'an honest update is not refused')
    if (verdict.kind !== 'ok') return false
    const brought = newContents(doc, update)
    Y.applyUpdate(doc, update, 'remote')
    this.#noteBareDeletions(plan, brought)
    same(doc.store.pendingStructs ?? doc.store.pendingDs, null, 'nothing is pending in the document')
    this.#settle(plan)
    return true
  }

  /**
   * A state that was cut by hand can bring the deletion of a patch without the patch that covers it, and so uncover an
   * older value until that one comes. Clients send what they wrote with what it deletes; only for them order is promised.
   */
  #noteBareDeletions(before: Plan, brought: readonly unknown[]): void {
    const brings = (id: StepId, field: string, value: unknown): boolean =>
      brought.some(
        (patch) =>
          typeof patch === 'object' &&
          patch !== null &&
          Reflect.get(patch, 'id') === id &&
          Reflect.get(patch, field) === value,
      )
    for (const step of readPlan(this.#server.doc).steps) {
      const was = before.step(step.id)
      for (const field of ['text', 'details'] as const)
        if (was !== undefined && was[field] !== step[field] && !brings(step.id, field, step[field]))
          this.#uncovered.add(`${step.id} ${field}`)
    }
  }

  #reload(replica: Replica): void {
    this.log.push(`${replica.name} is loaded anew`)
    const before = contents(replica.plan)
    replica.open(Y.encodeStateAsUpdate(replica.doc))
    same(contents(replica.plan), before, 'loaded as it was')
  }

  /** Everybody gets everything. */
  #meet(): void {
    this.log.push('all meet')
    for (const { update } of this.#chance.shuffled(this.#sent)) this.#deliver(this.#server, update)
    same(this.#parked.length, 0, 'nothing waits for ever')
    for (const replica of this.#replicas.slice(1)) {
      for (const { update } of this.#chance.shuffled(this.#sent)) this.#deliver(replica, update)
      // Yjs may go on waiting for what came long ago. A client asks for what it lacks at every connection, and has it then.
      const { pendingStructs, pendingDs } = replica.doc.store
      if (pendingStructs === null && pendingDs === null) continue
      this.log.push(`${replica.name} asks for what it lacks`)
      const vector = Y.encodeStateVector(replica.doc)
      Y.applyUpdate(replica.doc, Y.encodeStateAsUpdate(this.#server.doc, vector), 'remote')
    }
  }

  #judge(): void {
    const { plan } = this.#server
    for (const replica of this.#replicas) {
      same(contents(replica.plan), contents(plan), `${replica.name} reads as the server`)
      same(contents(readPlan(replica.doc)), contents(plan), `${replica.name} read afresh`)
    }
    const merged = new Y.Doc()
    Y.applyUpdate(merged, Y.mergeUpdates(this.#chance.shuffled(this.#sent.map(({ update }) => update))))
    same(contents(readPlan(merged)), contents(plan), 'all updates merged')
    same(new Set(plan.steps.map(({ id }) => id)).size, plan.steps.length, 'nothing is doubled')
    for (const id of this.#created)
      if (!this.#removed.has(id)) same(plan.step(id) === undefined, false, `${id} is not lost`)
    for (const step of plan.steps) {
      same(this.#created.has(step.id), true, `${step.id} was made by somebody`)
      if (this.#removed.has(step.id)) same(this.#restored.has(step.id), true, `${step.id} was restored`)
      else this.#judgeFields(step)
    }
    judgeTree(plan)
  }

  /** What one writer alone has written shows, whatever others wrote beside it. */
  #judgeFields(step: Step): void {
    for (const field of ['text', 'details', 'status', 'required', 'alias'] as const) {
      const writes = this.#writes.get(`${step.id} ${field}`) ?? []
      const last = writes.at(-1)
      if (last === undefined || writes.some(({ writer }) => writer !== last.writer)) continue
      same(step[field] ?? '', last.value, `${field} of ${step.id} survives`)
    }
  }
}

function judgeTree(plan: Plan): void {
  const depths = new Map<StepId, number>()
  for (const { id, parent, depth } of plan.steps) {
    same(depth, parent === null ? 0 : (depths.get(parent) ?? Number.NaN) + 1, `${id} stands below its parent`)
    depths.set(id, depth)
  }
}
