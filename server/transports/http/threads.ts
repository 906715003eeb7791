import type { Context, Hono } from 'hono'
import { MAX_PAGE } from '../../../shared/schema/limits.ts'
import type { Room } from '../../rooms/room.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Storage } from '../../rooms/storage.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './env.ts'
import { unknownThread } from './problem.ts'
import { callerOf, numberIn, threadOf } from './request.ts'
import { readSeed } from './seed.ts'

const LIMIT = { least: 1, most: MAX_PAGE, standard: 100 }
const VERSION = { least: 0, most: Number.MAX_SAFE_INTEGER, standard: 0 }

/** Plans as things: listed, created, read in several forms, deleted. */
export function addThreadRoutes(app: Hono<HttpEnv>, rooms: Rooms, storage: Storage): void {
  /** Reads a plan that is there. @throws Problem 404 for a thread that never came into being */
  const read = async <T>(c: Context<HttpEnv>, work: (room: Room) => Promise<T>): Promise<T> => {
    const thread = threadOf(c)
    return rooms.use(thread, (room) => {
      if (!room.isStored) throw unknownThread(thread)
      return work(room)
    })
  }

  app.get('/threads', async (c) => {
    const limit = numberIn(c, 'limit', LIMIT)
    const { page, last } = pageOf(await storage.threads(c.req.query('after') ?? '', limit + 1), limit)
    return c.json({ threads: page, next: last?.thread ?? null })
  })

  app.get('/threads/:thread', async (c) => c.json(await read(c, (room) => room.snapshot())))

  app.put('/threads/:thread', async (c) => {
    const thread = threadOf(c)
    const caller = callerOf(c)
    const seed = readSeed(await readJson(c))
    const { created, snapshot } = await rooms.create(thread, seed, caller)
    return c.json(snapshot, created ? 201 : 200)
  })

  app.delete('/threads/:thread', async (c) => {
    const thread = threadOf(c)
    if (!(await rooms.remove(thread))) throw unknownThread(thread)
    return c.body(null, 204)
  })

  app.get('/threads/:thread/plan.md', async (c) => {
    const text = await read(c, (room) => room.markdown())
    return c.body(text, 200, { 'Content-Type': 'text/markdown; charset=UTF-8' })
  })

  app.get('/threads/:thread/activity', async (c) => {
    const thread = threadOf(c)
    const after = numberIn(c, 'after', VERSION)
    const limit = numberIn(c, 'limit', LIMIT)
    const { page, last } = pageOf(await storage.activity(thread, after, limit + 1), limit)
    // Nothing to tell is no news of a plan that is there, and a mistake about one that is not.
    if (page.length === 0) await read(c, () => Promise.resolve())
    return c.json({ entries: page, next: last?.version ?? null })
  })
}

/** One more than the limit was asked for, to know whether there is more; then `last` is where the next page starts. */
function pageOf<T>(found: readonly T[], limit: number): { page: readonly T[]; last: T | undefined } {
  return found.length > limit
    ? { page: found.slice(0, limit), last: found[limit - 1] }
    : { page: found, last: undefined }
}
