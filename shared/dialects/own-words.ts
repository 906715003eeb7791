import type { Actor } from '../schema/actor.ts'
import type { StepChange } from '../plan/changes.ts'
import type { FormerText, Worded } from '../plan/former-texts.ts'
import { dependencyNames, WORDED } from '../plan/former-texts.ts'
import type { HistoryEntry } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Dialect } from './dialect.ts'
import { actorName, quoted } from './lines.ts'

/** What each verb may have replaced, and how that is told. */
const REPLACED: Readonly<Record<string, readonly (readonly [Worded, string])[]>> = {
  renamed: [['text', 'your words were']],
  changed: [
    ['details', 'your description was'],
    ['dependencies', 'by you it waited for'],
  ],
}

/** What a reader wrote itself, as far as the history tells, so that it hears which of its words others have replaced. */
export class OwnWords {
  readonly #reader: string
  readonly #earlier: readonly HistoryEntry[]
  /** Who worded each field of a step last, before the entry that is looked at. */
  #writers: Map<string, Actor> | null = null
  #at = 0

  constructor(reader: string, earlier: readonly HistoryEntry[]) {
    this.#reader = reader
    this.#earlier = earlier
  }

  /** ` (your words were "x")`, or '' if the reader had worded nothing of what was changed. */
  replacedBy(entry: HistoryEntry, { id, before, after }: StepChange, verb: string, plan: Plan): string {
    if (before === null || after === null) return ''
    const told = (REPLACED[verb] ?? []).flatMap(([field, how]) => {
      if (before[field] === after[field]) return []
      const text = field === 'dependencies' ? dependencyNames(before.dependencies, plan) : before[field]
      if (text === '' || this.#writersBefore(entry).get(`${field} ${id}`)?.id !== this.#reader) return []
      return `${how} ${field === 'dependencies' ? text : quoted(text)}`
    })
    return told.length === 0 ? '' : ` (${told.join(', ')})`
  }

  /** Whose words stood in a field when an entry came, as far as that is known. */
  writer(entry: HistoryEntry, { field, step }: FormerText): Actor | undefined {
    return this.#writersBefore(entry).get(`${field} ${step}`)
  }

  #writersBefore({ version }: HistoryEntry): ReadonlyMap<string, Actor> {
    const writers = (this.#writers ??= new Map())
    for (let entry = this.#earlier[this.#at]; entry !== undefined && entry.version < version;) {
      for (const { id, before, after } of entry.changes)
        for (const field of WORDED)
          if (after !== null && before?.[field] !== after[field]) writers.set(`${field} ${id}`, entry.actor)
      entry = this.#earlier[++this.#at]
    }
    return writers
  }
}

/** What the reader itself brought, such as from offline, and what does not show. */
export function outrunClause(
  { step, field, text }: FormerText,
  writer: Actor | undefined,
  plan: Plan,
  { nameStep }: Pick<Dialect, 'nameStep'>,
): string {
  const what = field === 'text' ? 'words' : 'description'
  const now = plan.step(step)
  if (now === undefined) return `your ${what} ${quoted(text)} came too late: the step was removed`
  const stands = quoted(field === 'details' ? now.details : now.text)
  const whose = writer === undefined ? '' : ` of ${actorName(writer)}`
  return `your ${what} ${quoted(text)} for ${nameStep(plan, step)} gave way to ${stands}${whose}`
}
