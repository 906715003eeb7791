import { type Access, createAccess, openAccess } from './auth/access.ts'
import { createDoors, type Doors } from './auth/doors.ts'
import { tellRefused } from './auth/refused-doors.ts'
import { type Config, isLoopback } from './config.ts'
import type { Log } from './rooms/log.ts'
import { noFiles } from './rooms/files.ts'
import { Rooms } from './rooms/rooms.ts'
import type { Storage } from './rooms/storage.ts'
import { planFiles } from './storage/plan-files.ts'
import { openSqliteStorage } from './storage/sqlite/storage.ts'
import { createHttp } from './transports/http/http.ts'
import { type Page, readPage } from './transports/http/page.ts'
import { createHttpServer } from './transports/http/server.ts'
import { createLimits } from './transports/limits/limits.ts'
import { createMcp } from './transports/mcp/mcp.ts'
import { attachSync, type Pace } from './transports/ws/sync.ts'

/** As package.json says; a test compares. */
export const VERSION = '0.1.0'
/** Milliseconds for everything to end: whoever ends servers waits about as long before they are killed. */
const CLOSE_MS = 10_000
/** Milliseconds of it that a disk is waited for: one that hangs keeps nobody from ending. */
const DISK_MS = 5_000
/** Milliseconds of it for the last answers and close frames to go out. */
const GRACE_MS = 3_000
/** Milliseconds that requests may be on their way over connections that were kept, once the port is closed. */
const LINGER_MS = 500

type DoorConfig = Partial<Pick<Config, 'allowedHosts' | 'allowedOrigins' | 'publicUrl' | 'authServers'>>

export interface AppOptions {
  readonly config: Pick<Config, 'host' | 'port' | 'idleMs'> &
    Partial<Pick<Config, 'filesDirectory' | 'limits' | 'drainMs'>> &
    DoorConfig
  /** Closed with the app. */
  readonly storage: Storage
  readonly log: Log
  /** Without it everybody who reaches the server may do everything. */
  readonly access?: Access
  readonly pace?: Pace
  /** By default the one that was built. */
  readonly page?: Page | null
}

export interface App {
  /** A request's response, without a network. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** @throws Error that says which setting to change */
  listen(): Promise<{ readonly url: string; readonly port: number }>
  /**
   * Finishes what was begun, keeps what was queued, and takes nothing new.
   * @param isPatient first says for a while that it is not ready, and goes on to serve: whoever balances loads looks away
   * @throws Error when the time is up
   */
  close(isPatient?: boolean): Promise<void>
}

/** The whole server: everything is wired here, and nowhere else. */
export function createApp({ config, storage, log, access = openAccess, pace, page = readPage() }: AppOptions): App {
  let closing: Promise<void> | undefined
  const files = config.filesDirectory ? planFiles(config.filesDirectory) : noFiles
  const rooms = new Rooms({ storage, files, log, idleMs: config.idleMs })
  const limits = createLimits(config.limits)
  const mcp = createMcp({ rooms, storage, access, limits, log, version: VERSION })
  const doors = doorsOf(config, access, log)
  const { publicUrl = null, authServers = [] } = config
  const gate = { access, doors, publicUrl, authServers, log }
  const http = createHttp({
    rooms,
    storage,
    mcp,
    limits,
    ...gate,
    version: VERSION,
    page,
    isDraining: () => closing !== undefined,
  })
  const server = createHttpServer((request, env) => http.fetch(request, env), {
    connections: config.limits?.connections ?? Infinity,
  })
  const sync = attachSync(server.node, rooms, { access, doors, limits, log, ...(pace === undefined ? {} : { pace }) })
  let isListening = false

  const announce = async (): Promise<void> => {
    const { drainMs = 0 } = config
    if (drainMs === 0 || !isListening) return
    server.retire()
    await new Promise((resolve) => setTimeout(resolve, drainMs))
    await server.linger(LINGER_MS)
  }
  const close = async (): Promise<void> => {
    const ended = isListening ? server.close() : Promise.resolve()
    // Subscriptions end by themselves never. New ones are refused by then, with all that needs a room.
    await rooms.drain(DISK_MS)
    await mcp.close()
    // All is decided and kept. What is left is to tell it, and to not wait for those who do not listen.
    const grace = setTimeout(() => {
      sync.close()
      server.destroy()
    }, GRACE_MS)
    await ended
    clearTimeout(grace)
    sync.close()
    await storage.close()
  }

  return {
    fetch: (request) => http.fetch(request),
    listen: async () => {
      const port = await server.listen(config.port, config.host)
      isListening = true
      const host = config.host.includes(':') ? `[${config.host}]` : config.host
      return { url: `http://${host}:${port}`, port }
    },
    close: (isPatient = false) =>
      (closing ??= isPatient ? announce().then(() => within(CLOSE_MS, close())) : within(CLOSE_MS, close())),
  }
}

/** The server over its data directory. @throws Error that says what to do, as when another server has the directory */
export async function openApp(config: Config, log: Log): Promise<App> {
  const storage = await openSqliteStorage({ directory: config.dataDirectory, synchronous: config.synchronous, log })
  try {
    if (config.access.jwksUrl !== null && config.access.audience === null) {
      log.warn({}, 'PLANROOM_AUDIENCE is not set: tokens that were made for other servers count here')
    }
    return createApp({ config, storage, log, access: await createAccess({ ...config.access, store: storage }) })
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** In the open mode on loopback the names and the pages of this machine are all there is; tokens look after themselves. */
function doorsOf({ host, ...config }: Pick<Config, 'host'> & DoorConfig, { isOpen }: Access, log: Log): Doors {
  const { allowedHosts = [], allowedOrigins = [], publicUrl = null } = config
  const isPrivate = isOpen && isLoopback(host)
  const own = publicUrl === null ? [] : [new URL(publicUrl)]
  const hosts = [host, ...own.map(({ hostname }) => hostname), ...allowedHosts]
  return createDoors({
    hosts: isPrivate || allowedHosts.length > 0 ? hosts : null,
    origins: [...allowedOrigins, ...own.map(({ origin }) => origin)],
    trustsLoopback: isPrivate,
    onRefused: tellRefused(log),
  })
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Closing took longer than ${milliseconds} ms.`)), milliseconds)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
