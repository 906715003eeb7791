import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../server/config.ts'

const wrong = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('nothing was wrong')
}

describe('the configuration', () => {
  test('needs nothing', () => {
    const standard = {
      port: 4080,
      host: '127.0.0.1',
      dataDirectory: './data',
      synchronous: 'FULL',
      idleMs: 60_000,
      logLevel: 'info',
    }
    expect(readConfig({ PATH: '/bin', HOME: '/root' })).toEqual(standard)
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
        PLANROOM_LOG_LEVEL: 'debug',
        PLANROOM_INSECURE_OPEN: '0',
      }),
    ).toEqual({ port: 0, host: '::1', dataDirectory: '/data', synchronous: 'NORMAL', idleMs: 5_000, logLevel: 'debug' })
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
      'The configuration is wrong: PLANROOM_DATADIR is not known; known are PLANROOM_DATA_DIR, PLANROOM_SYNCHRONOUS, ' +
        'PLANROOM_IDLE_SECONDS, PLANROOM_LOG_LEVEL, PLANROOM_INSECURE_OPEN; ' +
        'DATABASE_URL is set, but running on several nodes is not there yet: unset it to keep plans in a directory; ' +
        'REDIS_URL is set, but running on several nodes is not there yet: unset it to keep plans in a directory; ' +
        'PORT is a whole number from 0 to 65535; PLANROOM_SYNCHRONOUS is full or normal; ' +
        'PLANROOM_IDLE_SECONDS is a whole number from 0 to 86400; ' +
        'PLANROOM_LOG_LEVEL is one of fatal, error, warn, info, debug, trace, silent; ' +
        'HOST is 0.0.0.0, but there is no access control: everybody who reaches it could read and change every plan. ' +
        'Leave it at 127.0.0.1, or set PLANROOM_INSECURE_OPEN=1 if that is meant.',
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
    expect(wrong({ PLANROOM_INSECURE_OPEN: 'yes' })).toContain('PLANROOM_INSECURE_OPEN is 1 or 0')
  })
})
