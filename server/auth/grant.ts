import { z } from 'zod'

export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** What somebody may do, and with which threads. */
export interface Grant {
  readonly role: Role
  /** Ids of threads, in which `*` stands for any characters or none. */
  readonly threads: readonly string[]
}

/**
 * - `read`: see a plan, look at it by a tool that only reads, follow it over a socket, be seen there.
 * - `write`: change it. `create`: bring it into being. `actFor`: look in the name of another actor.
 * - `delete`: for good, log and all. No editor can undo it, and so no editor may do it.
 * - `list`: see that there is such a thread; without a thread, ask for the list.
 * - `admin`: what concerns the whole server.
 */
export type Action = 'read' | 'list' | 'write' | 'create' | 'actFor' | 'delete' | 'admin'

const NEEDS: Readonly<Record<Action, Role>> = {
  read: 'viewer',
  list: 'viewer',
  write: 'editor',
  create: 'editor',
  actFor: 'editor',
  delete: 'admin',
  admin: 'admin',
}

/** In the open mode everybody may do everything. */
export const EVERYTHING: Grant = { role: 'admin', threads: ['*'] }

/** A pattern of thread ids: their characters, and `*`. */
export const ThreadPattern = z
  .string()
  .regex(/^[A-Za-z0-9._~*-]{1,128}$/, 'is a thread id, in which * stands for any characters')

/**
 * The one decision about access: every door asks it.
 * @param thread null for what concerns no thread in particular: whoever is held to some threads may then only `list`
 */
export function may(grant: Grant, action: Action, thread: string | null): boolean {
  if (ROLES.indexOf(grant.role) < ROLES.indexOf(NEEDS[action])) return false
  if (thread === null) return action === 'list' || grant.threads.some((pattern) => /^\*+$/.test(pattern))
  return grant.threads.some((pattern) => fits(thread, pattern))
}

/** The role that an action needs, to say what is missing. */
export const roleFor = (action: Action): Role => NEEDS[action]

/** Part by part from the left, with no going back: no pattern takes long. */
function fits(thread: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return thread === pattern
  if (!thread.startsWith(head) || !thread.endsWith(tail) || thread.length < head.length + tail.length) return false
  const end = thread.length - tail.length
  let at = head.length
  for (const part of rest) {
    const found = thread.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
