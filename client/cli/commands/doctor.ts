import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { readConfig } from '../../../server/config.ts'
import { Api } from '../api.ts'
import { type Call, CliError, EXIT } from '../command.ts'
import { dataDirectory } from '../data/directory.ts'
import type { Verdict } from '../data/verify.ts'
import { bytesText } from '../terminal.ts'

const NODE = [20, 19] as const
/** Damaged plans that are named. */
const MAX_NAMED = 5

interface Finding {
  readonly what: string
  readonly state: 'ok' | 'warning' | 'wrong'
  readonly text: string
}
const ok = (what: string, text: string): Finding => ({ what, state: 'ok', text })
const warning = (what: string, text: string): Finding => ({ what, state: 'warning', text })
const wrong = (what: string, text: string): Finding => ({ what, state: 'wrong', text })
const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export async function run(call: Call): Promise<number> {
  const directory = dataDirectory(call)
  const server = await findServer(call)
  const findings = [
    node(),
    settings(),
    await addon(),
    writable(directory),
    await space(directory),
    ...(await plans(directory)),
    server,
    ...(server.state === 'ok' ? [] : [await port()]),
  ]
  const { terminal } = call
  const colours = { ok: 'green', warning: 'yellow', wrong: 'red' } as const
  call.show({ findings }, () =>
    findings
      .map(({ what, state, text }) => `${terminal.paint(colours[state], state.padEnd(7))}  ${what}: ${text}\n`)
      .join(''),
  )
  return findings.some(({ state }) => state === 'wrong') ? EXIT.failed : EXIT.ok
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > NODE[0] || (major === NODE[0] && minor >= NODE[1])
  const text = `${process.versions.node} on ${process.platform} ${process.arch}`
  return isNew ? ok('node', text) : wrong('node', `${text}; ${NODE.join('.')} or newer is needed`)
}

function settings(): Finding {
  try {
    const { access, host } = readConfig()
    const isOpen = access.secret === null && access.jwksUrl === null
    return ok('settings', isOpen ? `open to everybody who reaches ${host}` : `tokens are needed, at ${host}`)
  } catch (error) {
    return wrong('settings', said(error))
  }
}

async function addon(): Promise<Finding> {
  try {
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(':memory:')
    const version = String(db.prepare('SELECT sqlite_version()').pluck().get())
    db.close()
    return ok('sqlite', version)
  } catch (error) {
    return wrong('sqlite', `better-sqlite3 does not load: ${said(error)}. Try: npm rebuild better-sqlite3`)
  }
}

function writable(directory: string): Finding {
  // A directory that is not there yet is made at the first start.
  let at = directory
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const probe = join(at, `.planroom-doctor-${process.pid}`)
  try {
    writeFileSync(probe, '')
    return ok('data', at === directory ? directory : `${directory} (not there yet)`)
  } catch (error) {
    return wrong('data', `${directory} cannot be written: ${said(error)}`)
  } finally {
    rmSync(probe, { force: true })
  }
}

async function space(directory: string): Promise<Finding> {
  const { FEW_FREE_BYTES, freeBytes } = await import('../../../server/storage/sqlite/disk.ts')
  let at = directory
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const free = freeBytes(at)
  if (free === null) return warning('space', 'how much is free cannot be known')
  const text = `${bytesText(free)} free`
  return free < FEW_FREE_BYTES ? warning('space', `only ${text}`) : ok('space', text)
}

async function plans(directory: string): Promise<Finding[]> {
  const [{ databaseIn }, { examine }, { lockDirectory }, { verify }] = await Promise.all([
    import('../../../server/storage/sqlite/files.ts'),
    import('../../../server/storage/sqlite/recovery/examine.ts'),
    import('../../../server/storage/sqlite/lock.ts'),
    import('../data/verify.ts'),
  ])
  if (!existsSync(databaseIn(directory))) return [ok('plans', 'none yet')]
  const use = ((): Finding => {
    try {
      lockDirectory(directory)()
      return ok('lock', 'no server uses the directory')
    } catch (error) {
      return said(error).startsWith('Another Planroom server')
        ? ok('lock', 'a server uses the directory')
        : wrong('lock', said(error))
    }
  })()
  try {
    const examined = examine(databaseIn(directory))
    try {
      return [use, soundness(verify(examined))]
    } finally {
      examined.db.close()
    }
  } catch (error) {
    return [use, wrong('plans', said(error))]
  }
}

function soundness({ database, threads }: Verdict): Finding {
  const damaged = threads.filter(({ damages }) => damages.length > 0).map(({ thread }) => thread)
  if (damaged.length + database.length === 0) return ok('plans', `${threads.length}, all whole`)
  const named = damaged.slice(0, MAX_NAMED).join(', ') + (damaged.length > MAX_NAMED ? ', ...' : '')
  const which = damaged.length === 0 ? [] : [`${damaged.length} of ${threads.length} damaged: ${named}`]
  return wrong('plans', `${[...database.slice(0, 1), ...which].join('; ')}. See: planroom verify`)
}

async function findServer(call: Call): Promise<Finding> {
  const api = new Api(call)
  try {
    await api.greet()
    await api.text('/threads?limit=1')
    return ok('server', `answers at ${api.url}`)
  } catch (error) {
    if (error instanceof CliError && error.code === EXIT.unreachable)
      return warning('server', `none answers at ${api.url}`)
    return wrong('server', said(error))
  }
}

/** Whether a server could listen where the settings say. */
async function port(): Promise<Finding> {
  const [number, host] = [Number(process.env['PORT'] || 4080), process.env['HOST'] || '127.0.0.1']
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(wrong('port', `${host}:${number} cannot be had: ${error.code ?? error.message}`))
    })
    server.listen(number, host, () => server.close(() => resolve(ok('port', `${host}:${number} is free`))))
  })
}
