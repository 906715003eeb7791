import type { GroupId, StepId } from './ids.ts'
import type { Claim, DependencyTarget, Status } from './plan.ts'

/**
 * Where steps go: under `parent` (null: top level), directly behind the sibling `after`
 * (null: as the first; absent: as the last).
 */
export interface Place {
  readonly parent: StepId | null
  readonly after?: StepId | null
}

/** What a step can be told. A field that is absent stays as it is. */
export interface StepFields {
  readonly text?: string
  readonly details?: string
  readonly status?: Status
  readonly group?: GroupId | null
  readonly required?: boolean
  readonly alias?: string | null
  readonly startedBy?: string | null
  readonly claim?: Claim | null
  /** The whole list, in order. */
  readonly dependencies?: readonly DependencyTarget[]
}

/** A step of an outline to add; `depth` counts from the place, and grows by at most one from step to step. */
export interface NewStep extends StepFields {
  readonly id: StepId
  readonly text: string
  readonly depth: number
}

/** A removed step that comes back with all that it had, its number excepted. */
export interface RestoredStep extends Place {
  readonly id: StepId
  readonly fields: StepFields & { readonly text: string }
  readonly createdBy: string
  readonly createdAt: number
}

/** Every change that a plan knows. Dialects, the SDK, the page and the command line all speak these. */
export type PlanOperation =
  | ({ readonly type: 'addSteps'; readonly steps: readonly NewStep[] } & Place)
  | ({ readonly type: 'moveSteps'; readonly steps: readonly StepId[] } & Place)
  | { readonly type: 'setStep'; readonly id: StepId; readonly fields: StepFields }
  /** With `subSteps` they go too; without, they climb to the nearest ancestor that stays. */
  | { readonly type: 'removeSteps'; readonly steps: readonly StepId[]; readonly subSteps: boolean }
  | { readonly type: 'restoreSteps'; readonly steps: readonly RestoredStep[] }
  | { readonly type: 'addGroup'; readonly id: GroupId; readonly title: string }
  | { readonly type: 'setGroup'; readonly id: GroupId; readonly title?: string; readonly testsVerified?: boolean }
  | { readonly type: 'removeGroup'; readonly id: GroupId }
  | { readonly type: 'setTitle'; readonly title: string }

/** Who makes a change and when, as the writer claims it (`at` in milliseconds since 1970). */
export interface Stamp {
  readonly by: string
  readonly at: number
}
