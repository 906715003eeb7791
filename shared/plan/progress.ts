/** How far something is. Every step counts as one, those with sub-steps too; a cancelled one does not count at all. */
export interface Progress {
  readonly completed: number
  readonly active: number
  readonly blocked: number
  readonly total: number
}

/** The one definition of progress: of a plan, a group, or what lies below a step. */
export function progressOf(steps: readonly { readonly status: string }[]): Progress {
  const count = (wanted: string): number => steps.reduce((sum, { status }) => sum + (status === wanted ? 1 : 0), 0)
  return {
    completed: count('completed'),
    active: count('in_progress'),
    blocked: count('blocked'),
    total: steps.length - count('cancelled'),
  }
}

interface Turned {
  readonly before: { readonly status: string } | null
  readonly after: { readonly status: string } | null
}

/** The same once some steps have changed, come or gone, without a look at the others. */
export function progressAfter(progress: Progress, changes: readonly Turned[]): Progress {
  const steps = (which: 'before' | 'after') => changes.flatMap(({ [which]: step }) => (step === null ? [] : [step]))
  const gone = progressOf(steps('before'))
  const come = progressOf(steps('after'))
  return {
    completed: progress.completed - gone.completed + come.completed,
    active: progress.active - gone.active + come.active,
    blocked: progress.blocked - gone.blocked + come.blocked,
    total: progress.total - gone.total + come.total,
  }
}
