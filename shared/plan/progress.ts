/** How far something is. Every step counts as one, those with sub-steps too; a cancelled one does not count at all. */
interface Progress {
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
