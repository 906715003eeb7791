import { isIPv4 } from 'node:net'
import { z } from 'zod'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** What the environment may set, each with what it is when it is not set. */
const Environment = z.object({
  PORT: wholeNumber(0, 65_535, 4_080),
  HOST: z.string().default('127.0.0.1'),
  PLANROOM_DATA_DIR: z.string().default('./data'),
  PLANROOM_SYNCHRONOUS: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['full', 'normal'], 'is full or normal'))
    .default('full'),
  PLANROOM_IDLE_SECONDS: wholeNumber(0, 86_400, 60),
  PLANROOM_LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(LOG_LEVELS, `is one of ${LOG_LEVELS.join(', ')}`))
    .default('info'),
  PLANROOM_INSECURE_OPEN: z.enum(['0', '1'], 'is 1 or 0').default('0'),
})
const KNOWN = Object.keys(Environment.shape)
/** Settings of another server that runs on several nodes: to ignore them would lose plans that somebody believes kept. */
const RESERVED = ['DATABASE_URL', 'REDIS_URL']

export interface Config {
  /** 0: the system gives one. */
  readonly port: number
  readonly host: string
  readonly dataDirectory: string
  /** FULL: every commit is on the disk before it is answered. NORMAL: a power failure may take the last ones. */
  readonly synchronous: 'FULL' | 'NORMAL'
  /** Milliseconds that a room without sessions stays loaded. */
  readonly idleMs: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

/** Everything that is wrong with the configuration, in one message of one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the configuration, once, at the start. A variable that is set to nothing is not set. @throws ConfigError */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const set = new Map<string, string>()
  for (const [name, value = ''] of Object.entries(environment)) if (value.trim() !== '') set.set(name, value.trim())

  const parsed = Environment.safeParse(Object.fromEntries(set))
  const wrong = [
    ...unknownNames(set.keys()),
    ...RESERVED.filter((name) => set.has(name)).map(
      (name) => `${name} is set, but running on several nodes is not there yet: unset it to keep plans in a directory`,
    ),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
  ]
  const host = (set.get('HOST') ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1')
  if (!isLoopback(host) && set.get('PLANROOM_INSECURE_OPEN') !== '1') {
    wrong.push(
      `HOST is ${host}, but there is no access control: everybody who reaches it could read and change every plan. ` +
        'Leave it at 127.0.0.1, or set PLANROOM_INSECURE_OPEN=1 if that is meant',
    )
  }
  if (wrong.length > 0 || !parsed.success) throw new ConfigError(`The configuration is wrong: ${wrong.join('; ')}.`)
  const values = parsed.data
  return {
    port: values.PORT,
    host,
    dataDirectory: values.PLANROOM_DATA_DIR,
    synchronous: values.PLANROOM_SYNCHRONOUS === 'full' ? 'FULL' : 'NORMAL',
    idleMs: values.PLANROOM_IDLE_SECONDS * 1_000,
    logLevel: values.PLANROOM_LOG_LEVEL,
  }
}

/** A name with a slip in it would be a setting that does nothing, and nobody would know. */
function unknownNames(names: Iterable<string>): string[] {
  const unknown = [...names].filter((name) => /^planroom_/i.test(name) && !KNOWN.includes(name))
  if (unknown.length === 0) return []
  const known = KNOWN.filter((name) => name.startsWith('PLANROOM_'))
  return [`${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known; known are ${known.join(', ')}`]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function wholeNumber(least: number, most: number, standard: number) {
  const message = `is a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, { message, abort: true })
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .default(standard)
}
