import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../../server/app.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { ask, call, expectProblem, newApp } from '../helpers/http.ts'

const PATTERN = '[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}'

test('the front door tells what runs here, in the version of the package', async () => {
  const answer = await ask(newApp(), '/')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(answer.text).toContain(`Planroom ${VERSION}`)
  expect(answer.text).toContain('POST   /threads/:thread/tools/:tool')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(VERSION).toBe(version)
})

test('nothing is cached, and no type is guessed', async () => {
  const app = newApp()
  for (const path of ['/', '/healthz', '/threads', '/threads/none', '/nowhere', '/threads/plan/context']) {
    const { headers } = await ask(app, path)
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      path,
      'no-store',
      'nosniff',
    ])
  }
  const { headers } = await ask(app, '/threads', { method: 'PATCH' })
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
})

describe('probes', () => {
  test('say that it is alive and fit to serve', async () => {
    const app = newApp()
    for (const path of ['/healthz', '/readyz']) {
      expect(await ask(app, path)).toMatchObject({ status: 200, json: { status: 'ok' } })
    }
  })

  test('a storage that does not answer makes it unfit, not dead', async () => {
    const app = newApp({ storage: { ...createMemoryStorage(), ping: () => Promise.reject(new Error('no disk')) } })
    expectProblem(await ask(app, '/readyz'), 503, 'not-ready')
    expect((await ask(app, '/healthz')).status).toBe(200)
  })

  test('so does shutting down, when nothing new is taken', async () => {
    const app = newApp()
    await call(app, 'plan', 'add_todos', { steps: [{ text: 'a' }] })
    const closed = app.close()
    const answer = await call(app, 'plan', 'add_todos', { steps: [{ text: 'b' }] })
    expectProblem(answer, 503, 'draining')
    expect(answer.headers.get('retry-after')).toBe('5')
    expectProblem(await ask(app, '/readyz'), 503, 'not-ready')
    expect((await ask(app, '/healthz')).status).toBe(200)
    await closed
  })
})

describe('wrong doors', () => {
  test('[bad input] ids outside of the pattern are 400 and name it', async () => {
    const app = newApp()
    const ids = ['.hidden', 'a'.repeat(129), 'a'.repeat(200), 'a%2Fb', 'a%20b', '%zz', 'a%', '%ff', '%00', 'ä', 'a:b']
    for (const id of ids) {
      for (const [method, rest] of [
        ['POST', '/tools/add_todos'],
        ['GET', '/tools'],
        ['GET', '/context'],
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', '/plan.md'],
        ['GET', '/activity'],
        ['GET', '/pending'],
      ] as const) {
        const answer = await ask(app, `/threads/${id}${rest}`, { method })
        expect(expectProblem(answer, 400, 'bad-thread')['pattern'], `${method} ${id}${rest}`).toBe(PATTERN)
      }
    }
    expect((await ask(app, '/threads')).json).toEqual({ threads: [], next: null })
    for (const id of ['a'.repeat(128), 'a..b', '~a', '-', '%61bc']) {
      expect((await ask(app, `/threads/${id}`, { method: 'PUT' })).status, id).toBe(201)
    }
    expect((await ask(app, '/threads/abc')).status).toBe(200)
  })

  test('wrong methods are 405 and name the right ones', async () => {
    const app = newApp()
    const cases = [
      ['POST', '/', 'GET, HEAD'],
      ['DELETE', '/threads', 'GET, HEAD'],
      ['POST', '/threads/plan', 'GET, HEAD, PUT, DELETE'],
      ['GET', '/threads/plan/tools/add_todos', 'POST'],
      ['OPTIONS', '/threads/plan/tools/add_todos', 'POST'],
      ['PUT', '/threads/plan/context', 'GET, HEAD'],
      ['POST', '/healthz', 'GET, HEAD'],
    ] as const
    for (const [method, path, allow] of cases) {
      const answer = await ask(app, path, { method })
      expectProblem(answer, 405, 'method')
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })

  test('anything else is 404', async () => {
    const app = newApp()
    for (const path of ['/nowhere', '/threads/', '/threads//tools', '/threads/plan/nowhere', '/favicon.ico']) {
      expectProblem(await ask(app, path), 404, 'not-found')
    }
    expect(await ask(app, '/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  test('a page of another site cannot change a plan', async () => {
    const app = newApp()
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'text/plain' }
    expectProblem(await call(app, 'plan', 'add_todos', { steps: [{ text: 'a' }] }, headers), 403, 'cross-site')
    expectProblem(await ask(app, '/threads/plan'), 404, 'unknown-thread')
    expect((await ask(app, '/healthz', { headers })).status).toBe(200)
    expect((await call(app, 'plan', 'list_todos', {}, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200)
  })
})
