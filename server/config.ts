import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'
import { type LimitSettings, STANDARD_LIMITS } from '../shared/schema/limit-settings.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Bytes of a secret: fewer than HS256 gives could be guessed. */
const MIN_SECRET_BYTES = 32

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
  PLANROOM_FILES_DIR: z.string().min(1, 'is the path of a folder').optional(),
  PLANROOM_IDLE_SECONDS: wholeNumber(0, 86_400, 60),
  PLANROOM_DRAIN_SECONDS: wholeNumber(0, 3_600, 1),
  PLANROOM_LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(LOG_LEVELS, `is one of ${LOG_LEVELS.join(', ')}`))
    .default('info'),
  PLANROOM_SECRET: z.string().refine(isLongSecret, `has at least ${MIN_SECRET_BYTES} bytes`).optional(),
  PLANROOM_JWKS_URL: z.string().refine(isSafeUrl, 'is a URL with https (or http on loopback)').optional(),
  PLANROOM_AUDIENCE: z.string().optional(),
  PLANROOM_ISSUER: z.string().optional(),
  PLANROOM_MAX_TOKEN_DAYS: wholeNumber(1, 3_650, 30),
  PLANROOM_AUTH_SERVERS: list(isSafeUrl, 'is a list of URLs with https, with commas between'),
  PLANROOM_PUBLIC_URL: z
    .string()
    .refine(isOrigin, 'is an address such as https://plans.example, without a path')
    .optional(),
  PLANROOM_ALLOWED_HOSTS: list(isHost, 'is a list of host names, with commas between'),
  PLANROOM_ALLOWED_ORIGINS: list(isOrigin, 'is a list of origins such as https://plans.example, with commas between'),
  PLANROOM_INSECURE_OPEN: z.enum(['0', '1'], 'is 1 or 0').default('0'),
  PLANROOM_TRUSTED_PROXIES: list(
    isNetwork,
    'is a list of addresses or networks such as 10.0.0.0/8, with commas between',
  ),
  PLANROOM_LIMITS: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['on', 'off'], 'is on or off'))
    .default('on'),
  PLANROOM_MAX_CONNECTIONS: wholeNumber(1, 1_000_000, STANDARD_LIMITS.connections),
  PLANROOM_MAX_THREAD_CONNECTIONS: wholeNumber(1, 1_000_000, STANDARD_LIMITS.connectionsPerThread),
  PLANROOM_MAX_ADDRESS_CONNECTIONS: wholeNumber(1, 1_000_000, STANDARD_LIMITS.connectionsPerAddress),
  PLANROOM_ADDRESS_RATE: wholeNumber(1, 1_000_000, STANDARD_LIMITS.addressRate),
  PLANROOM_ACTOR_RATE: wholeNumber(1, 1_000_000, STANDARD_LIMITS.actorRate),
})
/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(Environment.shape)
/** Settings of the command line, which may be set in the same shell. */
const OF_CLIENTS = ['PLANROOM_URL', 'PLANROOM_TOKEN', 'PLANROOM_THREAD', 'PLANROOM_NAME', 'PLANROOM_DEMO_SECONDS']
/** Settings of another server that runs on several nodes: to ignore them would lose plans that somebody believes kept. */
const RESERVED = ['DATABASE_URL', 'REDIS_URL']

export interface Config {
  /** 0: the system gives one. */
  readonly port: number
  readonly host: string
  readonly dataDirectory: string
  /** FULL: every commit is on the disk before it is answered. NORMAL: a power failure may take the last ones. */
  readonly synchronous: 'FULL' | 'NORMAL'
  /** The folder below which calls may name files to read; null: none. */
  readonly filesDirectory: string | null
  /** Milliseconds that a room without sessions stays loaded. */
  readonly idleMs: number
  /** Milliseconds after SIGTERM in which /readyz says that the server goes, and all else is served still. */
  readonly drainMs: number
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** How tokens are checked; with neither a secret nor keys the server is open. */
  readonly access: {
    readonly secret: string | null
    readonly jwksUrl: string | null
    readonly audience: string | null
    readonly issuer: string | null
    /** Milliseconds that a token may be good for. */
    readonly maxLifeMs: number
  }
  /** Where clients of MCP get tokens. */
  readonly authServers: readonly string[]
  /** The origin under which the server is reached from outside; null: as each request says. */
  readonly publicUrl: string | null
  /** Names under which the server answers, besides those of the loopback. */
  readonly allowedHosts: readonly string[]
  /** Origins whose pages may use the server. */
  readonly allowedOrigins: readonly string[]
  /** How much one address, one actor and all together may have. */
  readonly limits: LimitSettings
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
  const isOpen = !set.has('PLANROOM_SECRET') && !set.has('PLANROOM_JWKS_URL')
  if (isOpen && !isLoopback(host) && set.get('PLANROOM_INSECURE_OPEN') !== '1') {
    wrong.push(
      `HOST is ${host}, but there is no access control: everybody who reaches it could read and change every plan. ` +
        'Set PLANROOM_SECRET or PLANROOM_JWKS_URL, so that a token is needed; or leave HOST at 127.0.0.1; or set ' +
        'PLANROOM_INSECURE_OPEN=1 if that is meant',
    )
  }
  if (wrong.length > 0 || !parsed.success) throw new ConfigError(`The configuration is wrong: ${wrong.join('; ')}.`)
  const values = parsed.data
  return {
    port: values.PORT,
    host,
    dataDirectory: values.PLANROOM_DATA_DIR,
    synchronous: values.PLANROOM_SYNCHRONOUS === 'full' ? 'FULL' : 'NORMAL',
    filesDirectory: values.PLANROOM_FILES_DIR ?? null,
    idleMs: values.PLANROOM_IDLE_SECONDS * 1_000,
    drainMs: values.PLANROOM_DRAIN_SECONDS * 1_000,
    logLevel: values.PLANROOM_LOG_LEVEL,
    access: {
      secret: values.PLANROOM_SECRET ?? null,
      jwksUrl: values.PLANROOM_JWKS_URL ?? null,
      audience: values.PLANROOM_AUDIENCE ?? null,
      issuer: values.PLANROOM_ISSUER ?? null,
      maxLifeMs: values.PLANROOM_MAX_TOKEN_DAYS * 86_400_000,
    },
    authServers: values.PLANROOM_AUTH_SERVERS,
    publicUrl: values.PLANROOM_PUBLIC_URL ?? null,
    allowedHosts: values.PLANROOM_ALLOWED_HOSTS,
    allowedOrigins: values.PLANROOM_ALLOWED_ORIGINS,
    limits: {
      isOn: values.PLANROOM_LIMITS === 'on',
      trustedProxies: values.PLANROOM_TRUSTED_PROXIES,
      connections: values.PLANROOM_MAX_CONNECTIONS,
      connectionsPerThread: values.PLANROOM_MAX_THREAD_CONNECTIONS,
      connectionsPerAddress: values.PLANROOM_MAX_ADDRESS_CONNECTIONS,
      addressRate: values.PLANROOM_ADDRESS_RATE,
      actorRate: values.PLANROOM_ACTOR_RATE,
    },
  }
}

/** A name with a slip in it would be a setting that does nothing, and nobody would know. */
function unknownNames(names: Iterable<string>): string[] {
  const unknown = [...names].filter((name) => /^planroom_/i.test(name) && ![...SETTINGS, ...OF_CLIENTS].includes(name))
  if (unknown.length === 0) return []
  const known = SETTINGS.filter((name) => name.startsWith('PLANROOM_'))
  return [`${unknown.join(', ')} ${unknown.length === 1 ? 'is' : 'are'} not known; known are ${known.join(', ')}`]
}

/** @param host an address or a name to listen on, IPv6 without brackets */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function isLongSecret(secret: string): boolean {
  return Buffer.byteLength(secret) >= MIN_SECRET_BYTES
}

/** Keys that come over plain http could be anybody's. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')))
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** A name or an address, with a port or without. */
function isHost(text: string): boolean {
  return isIPv6(text) || (URL.canParse(`http://${text}`) && /^[^/?#@\\\s*]+$/.test(text))
}

/** An address, or a network with the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...more] = text.split('/')
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}

function list(isOne: (text: string) => boolean, message: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((all) => all.every(isOne), message)
    .default([])
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
