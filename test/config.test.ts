import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, SETTINGS } from '../server/config.ts'

const SECRET = 'a secret that has the 32 bytes it needs'

const wrong = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('nothing was wrong')
}

test('[F25] every setting stands in the table of the README, and nothing else does', () => {
  const readme = readFileSync('README.md', 'utf8')
  const rows = readme.split('\n').filter((line) => /^\| `(?:PORT|PLANROOM_)/.test(line))
  const named = rows.flatMap((row) => row.match(/(?<=`)(?:PORT|HOST|PLANROOM_[A-Z_]+)(?==1`|`)/g) ?? [])
  expect([...new Set(named)].toSorted()).toEqual([...SETTINGS].toSorted())
})

describe('the configuration', () => {
  test('needs nothing', () => {
    const standard = {
      port: 4080,
      host: '127.0.0.1',
      dataDirectory: './data',
      synchronous: 'FULL',
      filesDirectory: null,
      idleMs: 60_000,
      drainMs: 1_000,
      logLevel: 'info',
      access: { secret: null, jwksUrl: null, audience: null, issuer: null, maxLifeMs: 30 * 86_400_000 },
      authServers: [],
      publicUrl: null,
      allowedHosts: [],
      allowedOrigins: [],
      limits: {
        isOn: true,
        trustedProxies: [],
        connections: 10_000,
        connectionsPerThread: 2_000,
        connectionsPerAddress: 2_000,
        addressRate: 3_000,
        actorRate: 1_500,
      },
    }
    expect(readConfig({ PATH: '/bin', HOME: '/root', PLANROOM_URL: 'http://a', PLANROOM_TOKEN: 'x' })).toEqual(standard)
    expect(readConfig({ PORT: '', HOST: ' ', PLANROOM_DATA_DIR: '', DATABASE_URL: '', PLANROOM_TYPO: '' })).toEqual(
      standard,
    )
  })

  test('takes every setting', () => {
    expect(
      readConfig({
        PORT: '0',
        HOST: '::1',
        PLANROOM_DATA_DIR: '/data',
        PLANROOM_SYNCHRONOUS: 'NORMAL',
        PLANROOM_IDLE_SECONDS: '5',
        PLANROOM_DRAIN_SECONDS: '30',
        PLANROOM_LOG_LEVEL: 'debug',
        PLANROOM_INSECURE_OPEN: '0',
        PLANROOM_SECRET: SECRET,
        PLANROOM_JWKS_URL: 'https://login.example/keys',
        PLANROOM_AUDIENCE: 'planroom',
        PLANROOM_ISSUER: 'https://login.example',
        PLANROOM_MAX_TOKEN_DAYS: '7',
        PLANROOM_AUTH_SERVERS: 'https://login.example, http://127.0.0.1:9000',
        PLANROOM_PUBLIC_URL: 'https://plans.example',
        PLANROOM_ALLOWED_HOSTS: 'plans.example,fd00::1,[fd00::2]:80',
        PLANROOM_ALLOWED_ORIGINS: 'https://app.example',
        PLANROOM_LIMITS: 'OFF',
        PLANROOM_TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7',
        PLANROOM_MAX_CONNECTIONS: '4',
        PLANROOM_MAX_THREAD_CONNECTIONS: '3',
        PLANROOM_MAX_ADDRESS_CONNECTIONS: '2',
        PLANROOM_ADDRESS_RATE: '10',
        PLANROOM_ACTOR_RATE: '5',
      }),
    ).toEqual({
      port: 0,
      host: '::1',
      dataDirectory: '/data',
      filesDirectory: null,
      synchronous: 'NORMAL',
      idleMs: 5_000,
      drainMs: 30_000,
      logLevel: 'debug',
      access: {
        secret: SECRET,
        jwksUrl: 'https://login.example/keys',
        audience: 'planroom',
        issuer: 'https://login.example',
        maxLifeMs: 7 * 86_400_000,
      },
      authServers: ['https://login.example', 'http://127.0.0.1:9000'],
      publicUrl: 'https://plans.example',
      allowedHosts: ['plans.example', 'fd00::1', '[fd00::2]:80'],
      allowedOrigins: ['https://app.example'],
      limits: {
        isOn: false,
        trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'],
        connections: 4,
        connectionsPerThread: 3,
        connectionsPerAddress: 2,
        addressRate: 10,
        actorRate: 5,
      },
    })
  })

  test('names everything that is wrong at once, in a line', () => {
    const message = wrong({
      PORT: '70000',
      HOST: '0.0.0.0',
      PLANROOM_SYNCHRONOUS: 'off',
      PLANROOM_IDLE_SECONDS: 'soon',
      PLANROOM_LOG_LEVEL: 'loud',
      PLANROOM_DATADIR: '/data',
      DATABASE_URL: 'postgres://user:secret@db/plans',
      REDIS_URL: 'redis://redis',
    })
    expect(message).toBe(
      'The configuration is wrong: PLANROOM_DATADIR is not known; known are PLANROOM_DATA_DIR, PLANROOM_SYNCHRONOUS, PLANROOM_FILES_DIR, ' +
        'PLANROOM_IDLE_SECONDS, PLANROOM_DRAIN_SECONDS, PLANROOM_LOG_LEVEL, PLANROOM_SECRET, PLANROOM_JWKS_URL, PLANROOM_AUDIENCE, ' +
        'PLANROOM_ISSUER, PLANROOM_MAX_TOKEN_DAYS, PLANROOM_AUTH_SERVERS, PLANROOM_PUBLIC_URL, ' +
        'PLANROOM_ALLOWED_HOSTS, PLANROOM_ALLOWED_ORIGINS, PLANROOM_INSECURE_OPEN, PLANROOM_TRUSTED_PROXIES, ' +
        'PLANROOM_LIMITS, PLANROOM_MAX_CONNECTIONS, PLANROOM_MAX_THREAD_CONNECTIONS, ' +
        'PLANROOM_MAX_ADDRESS_CONNECTIONS, PLANROOM_ADDRESS_RATE, PLANROOM_ACTOR_RATE; ' +
        'DATABASE_URL is set, but running on several nodes is not there yet: unset it to keep plans in a directory; ' +
        'REDIS_URL is set, but running on several nodes is not there yet: unset it to keep plans in a directory; ' +
        'PORT is a whole number from 0 to 65535; PLANROOM_SYNCHRONOUS is full or normal; ' +
        'PLANROOM_IDLE_SECONDS is a whole number from 0 to 86400; ' +
        'PLANROOM_LOG_LEVEL is one of fatal, error, warn, info, debug, trace, silent; ' +
        'HOST is 0.0.0.0, but there is no access control: everybody who reaches it could read and change every plan. ' +
        'Set PLANROOM_SECRET or PLANROOM_JWKS_URL, so that a token is needed; or leave HOST at 127.0.0.1; or set ' +
        'PLANROOM_INSECURE_OPEN=1 if that is meant.',
    )
  })

  test('PORT is a number of digits', () => {
    for (const PORT of ['-1', '65536', '1e3', '80.5', '0x50', 'http', '99999999999']) {
      expect(wrong({ PORT })).toBe('The configuration is wrong: PORT is a whole number from 0 to 65535.')
    }
    expect(readConfig({ PORT: '65535' }).port).toBe(65_535)
  })

  test('is open to nobody but this machine, unless that is said', () => {
    for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) {
      expect(readConfig({ HOST }).host).toBe(HOST.replace(/[[\]]/g, ''))
    }
    for (const HOST of ['0.0.0.0', '::', '192.168.0.1', '127.evil.example', 'example.org']) {
      expect(wrong({ HOST })).toContain('PLANROOM_INSECURE_OPEN=1')
      expect(wrong({ HOST, PLANROOM_INSECURE_OPEN: '0' })).toContain('PLANROOM_INSECURE_OPEN=1')
      expect(readConfig({ HOST, PLANROOM_INSECURE_OPEN: '1' }).host).toBe(HOST)
    }
    for (const HOST of ['0.0.0.0', 'example.org']) {
      expect(readConfig({ HOST, PLANROOM_SECRET: SECRET }).host).toBe(HOST)
      expect(readConfig({ HOST, PLANROOM_JWKS_URL: 'https://login.example/keys' }).host).toBe(HOST)
    }
    expect(wrong({ PLANROOM_INSECURE_OPEN: 'yes' })).toContain('PLANROOM_INSECURE_OPEN is 1 or 0')
  })

  test('a weak secret is refused, and not shown', () => {
    const message = wrong({ PLANROOM_SECRET: 'hunter2-hunter2-hunter2-hunter2' })
    expect(message).toBe('The configuration is wrong: PLANROOM_SECRET has at least 32 bytes.')
    expect(readConfig({ PLANROOM_SECRET: 'ä'.repeat(16) }).access.secret).toBe('ä'.repeat(16))
  })

  test('addresses that keys or pages come from are whole and safe', () => {
    for (const url of ['http://login.example/keys', 'login.example', 'file:///keys', 'ftp://login.example']) {
      expect(wrong({ PLANROOM_JWKS_URL: url })).toContain('PLANROOM_JWKS_URL is a URL with https')
    }
    expect(readConfig({ PLANROOM_JWKS_URL: 'http://[::1]:9/keys' }).access.jwksUrl).toBe('http://[::1]:9/keys')
    for (const origin of ['*', 'app.example', 'https://app.example/', 'https://a.example;https://b.example', 'null']) {
      expect(wrong({ PLANROOM_ALLOWED_ORIGINS: origin })).toContain('PLANROOM_ALLOWED_ORIGINS is a list of origins')
    }
    for (const host of ['*', '*.example', 'https://plans.example', 'plans.example/x', 'a b', 'plans.example,']) {
      expect(wrong({ PLANROOM_ALLOWED_HOSTS: host })).toContain('PLANROOM_ALLOWED_HOSTS is a list of host names')
    }
    expect(wrong({ PLANROOM_PUBLIC_URL: 'https://plans.example/planroom' })).toContain('PLANROOM_PUBLIC_URL')
  })
})
