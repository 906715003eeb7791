import type { Progress } from '../../../shared/plan/progress.ts'
import type { Step, StepId } from '../../sdk/index.ts'

/** What the page asks the server for beside the plan itself. */
export interface ThreadInfo {
  readonly thread: string
  readonly version: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  /** '' where nobody gave one. */
  readonly title: string
  /** Null where the server does not know it before the next change. */
  readonly progress: Progress | null
  readonly people: readonly { readonly name: string; readonly kind: 'agent' | 'human' }[]
}

export interface ThreadPage {
  readonly threads: readonly ThreadInfo[]
  readonly next: string | null
}

export interface ActivityEntry {
  readonly version: number
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number
  readonly actor: { readonly id: string; readonly name: string; readonly kind: 'agent' | 'human' | 'system' }
  readonly source: string
  readonly tool: string
  readonly reasoning: string
  readonly summary: string
}

/** The server answered, and it was no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** @throws ApiError, or TypeError without a network */
async function send(token: string | null, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Accept: 'application/json', ...(token === null ? {} : { Authorization: `Bearer ${token}` }) }
  const response = await fetch(path, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as { reason?: string; detail?: string; title?: string }
  throw new ApiError(
    response.status,
    problem.reason ?? problem.detail ?? problem.title ?? `The server answered ${response.status}.`,
  )
}

const ask = async <T>(token: string | null, path: string): Promise<T> => (await send(token, path)).json() as Promise<T>

/** @param query words that the id or the title has; '' for all */
export const listThreads = (token: string | null, query: string, limit: number, after = ''): Promise<ThreadPage> =>
  ask(token, `/threads?${new URLSearchParams({ query, limit: String(limit), after }).toString()}`)

export const deleteThread = async (token: string | null, thread: string): Promise<void> =>
  void (await send(token, `/threads/${encodeURIComponent(thread)}`, { method: 'DELETE' }))

export interface NewThread {
  readonly thread: string
  readonly title: string
  /** Who makes it. */
  readonly name: string
}

/** @returns whether it was made now, and how it is called: a plan that is there stays as it is */
export async function createThread(
  token: string | null,
  { thread, title, name }: NewThread,
): Promise<{ isNew: boolean; title: string }> {
  // A header carries bytes; the server reads them as UTF-8.
  const author = String.fromCharCode(...new TextEncoder().encode(name))
  const response = await send(token, `/threads/${encodeURIComponent(thread)}`, {
    method: 'PUT',
    body: JSON.stringify({ title }),
    headers: { 'Content-Type': 'application/json', ...(author === '' ? {} : { 'X-Agent-Name': author }) },
  })
  const plan = (await response.json()) as { readonly title: string }
  return { isNew: response.status === 201, title: plan.title }
}

export const readActivity = (
  token: string | null,
  thread: string,
  after: number,
  limit: number,
): Promise<{ entries: ActivityEntry[]; next: number | null }> =>
  ask(token, `/threads/${encodeURIComponent(thread)}/activity?after=${after}&limit=${limit}`)

/** What became of a step in a version. */
export interface VersionChange {
  readonly id: StepId
  readonly before: Step | null
  readonly after: Step | null
}

/** @returns null if it is not remembered any more */
export const readChanges = async (
  token: string | null,
  thread: string,
  version: number,
): Promise<readonly VersionChange[] | null> => {
  const path = `/threads/${encodeURIComponent(thread)}/activity/${version}`
  return (await ask<{ changes: readonly VersionChange[] | null }>(token, path)).changes
}
