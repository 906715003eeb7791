import * as Y from 'yjs'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import type { Roots } from '../../shared/plan/document.ts'
import { rootsOf } from '../../shared/plan/document.ts'
import type { PlanChange } from '../../shared/plan/draft.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { NewStep, PlanOperation, StepFields } from '../../shared/schema/operation.ts'

/** A short name as an id. */
export const id = (name: string): StepId => `step-${name.padStart(4, '_')}` as StepId
export const groupId = (name: string): GroupId => `group-${name.padStart(4, '_')}` as GroupId
export const nameOf = (step: StepId): string => step.slice(5).replace(/^_+/, '')

/** `'a b c'` side by side, deeper with dots before: `'a .b ..c d'`. */
export const outline = (text: string, fields: StepFields = {}): NewStep[] =>
  text.split(' ').map((word) => {
    const name = word.replace(/^\.+/, '')
    return { id: id(name), text: name, depth: word.length - name.length, ...fields }
  })

/** The same the other way round. */
const shown = ({ steps }: Plan): string => steps.map((step) => '.'.repeat(step.depth) + nameOf(step.id)).join(' ')

/** A document and whoever changes it. */
export class Copy {
  readonly doc = new Y.Doc()
  readonly reader: PlanReader
  at = 1

  constructor(...from: readonly (Copy | Uint8Array)[]) {
    for (const one of from) Y.applyUpdate(this.doc, one instanceof Copy ? Y.encodeStateAsUpdate(one.doc) : one)
    this.reader = new PlanReader(this.doc)
  }

  get plan(): Plan {
    return this.reader.plan
  }
  get roots(): Roots {
    return rootsOf(this.doc)
  }
  get shown(): string {
    return shown(this.plan)
  }
  check(...operations: readonly PlanOperation[]): PlanChange {
    return checkOperations(this.plan, operations, { by: 'ann', at: this.at })
  }
  /** Changes it as somebody who only has a copy. */
  edit(...operations: readonly PlanOperation[]): this {
    applyChange(this.doc, this.check(...operations), null)
    this.at++
    return this
  }
  /** Changes it as the server. */
  run(...operations: readonly PlanOperation[]): this {
    this.edit(...operations)
    settle(this.doc, this.reader, null)
    return this
  }
  add(text: string, place: { parent?: StepId | null; after?: StepId | null } = {}, fields: StepFields = {}): this {
    return this.run({ type: 'addSteps', steps: outline(text, fields), parent: null, ...place })
  }
  /** Takes somebody's update in as the server does. */
  receive(from: Copy): this {
    const before = this.plan
    Y.applyUpdate(this.doc, Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(this.doc)))
    settle(this.doc, this.reader, before)
    return this
  }
  /** How many transactions settling still makes. */
  unsettled(): number {
    let written = 0
    const count = (): void => void written++
    this.doc.on('update', count)
    const again = new PlanReader(this.doc)
    settle(this.doc, again, null)
    again.destroy()
    this.doc.off('update', count)
    return written
  }
}

/** Everybody gets everything. */
export function exchange(...copies: readonly Copy[]): void {
  const states = copies.map(({ doc }) => Y.encodeStateAsUpdate(doc))
  for (const { doc } of copies) for (const state of states) Y.applyUpdate(doc, state)
}
