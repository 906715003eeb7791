import type { Context, Hono } from 'hono'
import type { StepChange } from '../../../shared/plan/changes.ts'
import { MAX_CHANGED, MAX_LISTED_PEOPLE, MAX_PAGE, MAX_TITLE } from '../../../shared/schema/limits.ts'
import type { Step } from '../../../shared/schema/plan.ts'
import type { Room } from '../../rooms/room.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Storage, ThreadInfo } from '../../rooms/storage.ts'
import { allow, isAllowed } from './access.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './env.ts'
import { badRequest, unknownThread } from './problem.ts'
import { callerOf, numberIn, threadOf } from './request.ts'
import { readNewPlan } from './seed.ts'

/** Threads that one request looks at: so many parts of so many. */
const PART = MAX_PAGE + 1
const MAX_PARTS = 20
const LIMIT = { least: 1, most: MAX_PAGE, standard: 100 }
const VERSION = { least: 0, most: Number.MAX_SAFE_INTEGER, standard: 0 }

/** Plans as things: listed, created, read in several forms, deleted. */
export function addThreadRoutes(app: Hono<HttpEnv>, rooms: Rooms, storage: Storage): void {
  /** Reads a plan that is there. @throws Problem 404 for a thread that never came into being */
  const read = async <T>(c: Context<HttpEnv>, work: (room: Room) => Promise<T>): Promise<T> => {
    const thread = threadOf(c, 'read')
    return rooms.use(thread, (room) => {
      if (!room.isStored) throw unknownThread(thread)
      return work(room)
    })
  }

  app.get('/threads', async (c) => {
    allow(c, 'list', null)
    const limit = numberIn(c, 'limit', LIMIT)
    const query = c.req.query('query') ?? ''
    if (query.length > MAX_TITLE) throw badRequest(`query has at most ${MAX_TITLE} characters.`)
    const fits = finder(query)
    const isShown = ({ thread, outlook }: ThreadInfo): boolean =>
      isAllowed(c, 'list', thread) && fits(`${thread} ${outlook?.title ?? ''}`)
    const { threads, next } = await listThreads(storage, c.req.query('after') ?? '', limit, isShown)
    return c.json({ threads: threads.map((info) => lookAt(rooms, info)), next })
  })

  app.get('/threads/:thread', async (c) => c.json(await read(c, (room) => room.snapshot())))

  app.put('/threads/:thread', async (c) => {
    const thread = threadOf(c, 'create')
    const caller = callerOf(c)
    const { title, steps } = readNewPlan(await readJson(c))
    const { created, snapshot } = await rooms.create(thread, steps, caller, title)
    return c.json(snapshot, created ? 201 : 200)
  })

  app.delete('/threads/:thread', async (c) => {
    const thread = threadOf(c, 'delete')
    if (!(await rooms.remove(thread))) throw unknownThread(thread)
    return c.body(null, 204)
  })

  app.get('/threads/:thread/plan.md', async (c) => {
    const text = await read(c, (room) => room.markdown())
    return c.body(text, 200, { 'Content-Type': 'text/markdown; charset=UTF-8' })
  })

  app.get('/threads/:thread/pending', async (c) => {
    const { steps, version } = await rooms.use(threadOf(c, 'read'), (room) => room.snapshot())
    const open = steps.filter(({ status }) => status !== 'completed' && status !== 'cancelled').length
    const active = steps.find(({ status }) => status === 'in_progress')?.text ?? null
    return c.json({ pending: open > 0, open, active, version })
  })

  app.get('/threads/:thread/activity/:version', async (c) => {
    const version = Number(c.req.param('version'))
    if (!Number.isInteger(version) || version < 1) throw badRequest('A version is a whole number from 1 on.')
    const changes = await read(c, (room) => room.changesOf(version))
    return c.json({ version, changes: changes === null ? null : asShown(changes) })
  })

  app.get('/threads/:thread/activity', async (c) => {
    const thread = threadOf(c, 'read')
    const after = numberIn(c, 'after', VERSION)
    const limit = numberIn(c, 'limit', LIMIT)
    const { page, last } = pageOf(await storage.activity(thread, after, limit + 1), limit)
    // Nothing to tell is no news of a plan that is there, and a mistake about one that is not.
    if (page.length === 0) await read(c, () => Promise.resolve())
    return c.json({ entries: page, next: last?.version ?? null })
  })
}

/** What became of steps, as a person looks at it. */
function asShown(changes: readonly StepChange[]) {
  const shown = ({ dependencies, ...step }: Step) => ({ ...step, dependencies: [...dependencies] })
  return changes.slice(0, MAX_CHANGED).map(({ id, before, after }) => ({
    id,
    before: before === null ? null : shown(before),
    after: after === null ? null : shown(after),
  }))
}

/** Whether a text has every word of a query, whatever their case and accents. */
function finder(query: string): (text: string) => boolean {
  const fold = (text: string): string =>
    text
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase()
  const words = fold(query).split(/\s+/).filter(Boolean)
  return (text) => words.every((word) => fold(text).includes(word))
}

/** A thread as a list shows it. Who is there only an open room knows. */
function lookAt(rooms: Rooms, { outlook, ...info }: ThreadInfo) {
  const room = rooms.peek(info.thread)
  const { title = '', progress = null } = outlook ?? (info.version > 0 ? room?.outlook : undefined) ?? {}
  return { ...info, title, progress, people: room?.people(MAX_LISTED_PEOPLE) ?? [] }
}

/**
 * A page of the threads that are shown to the caller. One who is shown few of many may get a page that is not full, or
 * empty, with `next` to go on from: no request walks through them all.
 */
async function listThreads(
  storage: Storage,
  start: string,
  limit: number,
  isShown: (info: ThreadInfo) => boolean,
): Promise<{ threads: ThreadInfo[]; next: string | null }> {
  const shown: ThreadInfo[] = []
  let after = start
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const found = await storage.threads(after, PART)
    shown.push(...found.filter(isShown))
    if (shown.length > limit) return { threads: shown.slice(0, limit), next: shown[limit - 1]?.thread ?? null }
    const last = found.at(-1)
    if (last === undefined || found.length < PART) return { threads: shown, next: null }
    after = last.thread
  }
  return { threads: shown, next: after }
}

/** One more than the limit was asked for, to know whether there is more; then `last` is where the next page starts. */
function pageOf<T>(found: readonly T[], limit: number): { page: readonly T[]; last: T | undefined } {
  return found.length > limit
    ? { page: found.slice(0, limit), last: found[limit - 1] }
    : { page: found, last: undefined }
}
