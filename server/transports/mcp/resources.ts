import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server'
import { visible } from '../../../shared/dialects/visible.ts'
import type { ThreadId } from '../../../shared/schema/ids.ts'
import { MAX_PAGE } from '../../../shared/schema/limits.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Storage } from '../../rooms/storage.ts'

/** Versions of the activity that one reading shows: what a person would scroll through. */
const LATEST = Math.min(100, MAX_PAGE)

/** One way to read a plan. Reading it is nobody's looking: no reference is resolved by it. */
interface PlanResource {
  readonly path: '' | '/json' | '/activity'
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly read: (thread: ThreadId, source: PlanSource) => Promise<string>
}

export interface PlanSource {
  readonly rooms: Rooms
  readonly storage: Pick<Storage, 'activity'>
}

const RESOURCES: readonly PlanResource[] = [
  {
    path: '',
    name: 'plan',
    title: 'The plan',
    description: 'All steps as a Markdown list.',
    mimeType: 'text/markdown',
    read: (thread, { rooms }) => rooms.use(thread, (room) => room.markdown()),
  },
  {
    path: '/json',
    name: 'plan-json',
    title: 'The plan as data',
    description: 'All steps and groups with all their fields, as JSON.',
    mimeType: 'application/json',
    read: async (thread, { rooms }) => JSON.stringify(await rooms.use(thread, (room) => room.snapshot())),
  },
  {
    path: '/activity',
    name: 'plan-activity',
    title: 'What happened',
    description: `Who changed what and why, the last ${LATEST} versions, oldest first, as JSON.`,
    mimeType: 'application/json',
    read: async (thread, { rooms, storage }) => {
      const version = await rooms.use(thread, (room) => room.version)
      const entries = await storage.activity(thread, Math.max(0, version - LATEST), LATEST)
      return JSON.stringify({ thread, entries })
    },
  },
]

const uriOf = (thread: ThreadId, { path }: PlanResource): string => `plan://${thread}${path}`

/** The addresses of everything that a thread has to read; each of them changes whenever the plan does. */
export const resourceUris = (thread: ThreadId): string[] => RESOURCES.map((resource) => uriOf(thread, resource))

export const listedResources = (thread: ThreadId): Resource[] =>
  RESOURCES.map((resource) => {
    const { name, title, description, mimeType } = resource
    return { uri: uriOf(thread, resource), name, title, description, mimeType }
  })

/** @returns null for an address that this thread does not have. @throws as `Rooms.use` does */
export async function readResource(
  uri: string,
  thread: ThreadId,
  source: PlanSource,
): Promise<ReadResourceResult | null> {
  const resource = RESOURCES.find((one) => uriOf(thread, one) === uri)
  if (resource === undefined) return null
  return { contents: [{ uri, mimeType: resource.mimeType, text: visible(await resource.read(thread, source)) }] }
}
