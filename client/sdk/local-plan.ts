import * as Y from 'yjs'
import { applyChange } from '../../shared/plan/apply.ts'
import type { StepChange } from '../../shared/plan/changes.ts'
import { changesBetween } from '../../shared/plan/changes.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle, SETTLING } from '../../shared/plan/settle.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'

/** Whoever writes into the document from elsewhere: no caller has this id. */
const SOMEBODY: Actor = { id: ' elsewhere', name: '', kind: 'system' }

export interface LocalPlanOptions {
  /** A document to go on with; it must not be connected to a server, which would number the steps too. */
  readonly doc?: Y.Doc
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A plan without a server: it numbers its steps and counts its versions itself. */
export class LocalPlan {
  readonly doc: Y.Doc
  readonly now: () => number
  readonly history = new History(0)
  readonly #reader: PlanReader
  #before: Plan

  constructor({ doc = new Y.Doc(), now = Date.now }: LocalPlanOptions = {}) {
    this.doc = doc
    this.now = now
    this.#reader = new PlanReader(doc)
    settle(doc, this.#reader, null)
    this.#before = this.#reader.plan
    doc.on('update', this.#onUpdate)
  }

  get plan(): Plan {
    return this.#reader.plan
  }

  /** How many changes were made. */
  get version(): number {
    return this.history.version
  }

  /** @throws PlanError, and then nothing was changed */
  apply(operations: readonly PlanOperation[], actor: Actor): readonly StepChange[] {
    return this.commit(checkOperations(this.plan, operations, { by: actor.name, at: this.now() }), actor)
  }

  /**
   * Makes a change that was checked against the plan as it stands.
   * @param alwaysCounts makes a version of it even if it changes nothing
   * @returns what became of the steps
   */
  commit(change: PlanChange, actor: Actor, alwaysCounts = false): readonly StepChange[] {
    const before = this.plan
    if (!isEmpty(change)) {
      applyChange(this.doc, change, this)
      settle(this.doc, this.#reader, null)
    } else if (!alwaysCounts) return []
    this.#before = this.plan
    this.history.record(actor, before, this.plan)
    return changesBetween(before, this.plan)
  }

  /** Calls `listener` after every change of the document, whoever made it. @returns how to stop */
  subscribe(listener: (plan: Plan) => void): () => void {
    const onUpdate = (): void => listener(this.plan)
    this.doc.on('update', onUpdate)
    return () => this.doc.off('update', onUpdate)
  }

  close(): void {
    this.doc.off('update', this.#onUpdate)
    this.#reader.destroy()
  }

  /** What somebody else writes into the document counts as well. */
  readonly #onUpdate = (_update: Uint8Array, origin: unknown): void => {
    if (origin === this || origin === SETTLING) return
    settle(this.doc, this.#reader, this.#before)
    this.history.record(SOMEBODY, this.#before, this.plan)
    this.#before = this.plan
  }
}
