import type { StepId } from '../../schema/ids.ts'
import type { Actor } from '../../schema/actor.ts'
import type { StepChange } from '../../plan/changes.ts'
import type { History } from '../../plan/history.ts'

/** What can be done to a step that a list says something of. */
export type Deed = 'text' | 'status' | 'details' | 'required' | 'removed'
const FIELDS = ['text', 'status', 'details', 'required'] as const

/** Who did what to some steps last, as far as the history reaches. Looked up only when somebody asks. */
export class Deeds {
  readonly #history: History
  readonly #steps: () => ReadonlySet<StepId>
  #doers: Map<string, Actor> | null = null

  constructor(history: History, steps: () => ReadonlySet<StepId>) {
    this.#history = history
    this.#steps = steps
  }

  doer(id: StepId, deed: Deed): Actor | undefined {
    this.#doers ??= this.#collect()
    return this.#doers.get(`${deed} ${id}`)
  }

  #collect(): Map<string, Actor> {
    const doers = new Map<string, Actor>()
    const steps = this.#steps()
    for (const { actor, changes } of this.#history.since(this.#history.start) ?? [])
      for (const change of changes)
        if (steps.has(change.id)) for (const deed of deedsIn(change)) doers.set(`${deed} ${change.id}`, actor)
    return doers
  }
}

function deedsIn({ before, after }: StepChange): readonly Deed[] {
  if (after === null) return ['removed']
  return before === null ? FIELDS : FIELDS.filter((field) => before[field] !== after[field])
}
