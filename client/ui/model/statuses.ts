import type { Status } from '../../sdk/index.ts'

/** In the order of the board. */
export const STATUSES = ['pending', 'in_progress', 'blocked', 'completed', 'cancelled'] as const satisfies Status[]

export const STATUS_NAMES: Readonly<Record<Status, string>> = {
  pending: 'To do',
  in_progress: 'In progress',
  blocked: 'Blocked',
  completed: 'Done',
  cancelled: 'Cancelled',
}

export const isFinished = (status: Status): boolean => status === 'completed' || status === 'cancelled'
