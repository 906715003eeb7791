import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'

const MAIN = join(process.cwd(), 'dist/server/main.js')
/** Milliseconds for a start or an end, however busy the machine is. */
const PATIENCE_MS = 20_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A real server: `node dist/server/main.js` in a process of its own, on a port that the system gave it. */
export interface ServerProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** What y-websocket is given: `ws://127.0.0.1:<port>/sync` */
  readonly socketUrl: string
  readonly ended: Promise<Ended>
  /** Its last lines so far. */
  output(): string
  /** Resident memory in MiB. */
  rss(): number
  /** Ends it as a power failure would. Resolves when it is gone; does nothing if it is. */
  kill9(): Promise<Ended>
  /** Asks it to end. */
  stop(): Promise<Ended>
}

/** A temporary data directory, and how to delete it. */
export async function newDataDirectory(): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'planroom-e2e-'))
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/**
 * Starts a server, and resolves once it listens.
 * @param user whom it runs as
 * @throws Error with what it said, if it ends instead
 */
export async function startServer(
  directory: string,
  env: Readonly<Record<string, string>> = {},
  user?: number,
): Promise<ServerProcess> {
  const { child, lines, ended, output } = launch(directory, env, user)
  const url = await within('start', listening(lines, ended, output))
  const { pid } = child
  const end = (signal: NodeJS.Signals) => (): Promise<Ended> => {
    child.kill(signal)
    return within('end', ended)
  }
  return {
    url,
    socketUrl: `${url.replace('http', 'ws')}/sync`,
    ended,
    output: () => output.join('\n'),
    rss: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    kill9: end('SIGKILL'),
    stop: end('SIGTERM'),
  }
}

/** Runs a server that is expected to refuse. @returns how it ended, and all that it said */
export async function runServer(
  directory: string,
  env: Readonly<Record<string, string>> = {},
  user?: number,
): Promise<Ended & { output: string }> {
  const { child, ended, output } = launch(directory, env, user)
  try {
    return { ...(await within('end', ended)), output: output.join('\n') }
  } finally {
    child.kill('SIGKILL')
  }
}

interface Launched {
  readonly child: ChildProcess
  /** Of its log. */
  readonly lines: Interface
  readonly ended: Promise<Ended>
  /** Its last lines. */
  readonly output: string[]
}

function launch(directory: string, env: Readonly<Record<string, string>>, user?: number): Launched {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], PORT: '0', PLANROOM_DATA_DIR: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  // A run that is broken off leaves no server behind.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const output: string[] = []
  const keep = (line: string): void => {
    output.push(line)
    if (output.length > 1_000) output.shift()
  }
  const lines = createInterface({ input: child.stdout }).on('line', keep)
  createInterface({ input: child.stderr }).on('line', keep)
  // 'close' comes when all that it said was read.
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    process.off('exit', kill)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  return { child, lines, ended, output }
}

function listening(lines: Interface, ended: Promise<Ended>, output: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /"url":"([^"]+)".*listening on/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    void ended.then(({ code }) => reject(new Error(`The server ended with ${code}:\n${output.join('\n')}`)))
  })
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The server did not ${what} within ${PATIENCE_MS} ms.`)), PATIENCE_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
