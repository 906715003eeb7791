import type { Status } from '../schema/plan.ts'

/** What people and models call a status: in lower case, without what separates words. */
const WORDS: Readonly<Record<string, Status>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  new: 'pending',
  planned: 'pending',
  queued: 'pending',
  backlog: 'pending',
  notstarted: 'pending',
  notdone: 'pending',
  incomplete: 'pending',
  unchecked: 'pending',
  inprogress: 'in_progress',
  doing: 'in_progress',
  started: 'in_progress',
  active: 'in_progress',
  wip: 'in_progress',
  workinprogress: 'in_progress',
  working: 'in_progress',
  ongoing: 'in_progress',
  current: 'in_progress',
  running: 'in_progress',
  completed: 'completed',
  complete: 'completed',
  done: 'completed',
  finished: 'completed',
  closed: 'completed',
  checked: 'completed',
  blocked: 'blocked',
  failed: 'blocked',
  stuck: 'blocked',
  waiting: 'blocked',
  onhold: 'blocked',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  cancel: 'cancelled',
  skipped: 'cancelled',
  dropped: 'cancelled',
  abandoned: 'cancelled',
  wontdo: 'cancelled',
}

/** The status that a word means, in any case and with whatever separates its parts. @returns undefined for another word */
export function statusOfName(text: string): Status | undefined {
  const folded = text
    .trim()
    .toLowerCase()
    .replace(/[\s_'’-]/g, '')
  return Object.hasOwn(WORDS, folded) ? WORDS[folded] : undefined
}
