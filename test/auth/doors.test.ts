import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { App } from '../../server/app.ts'
import { createDoors } from '../../server/auth/doors.ts'
import { createAccess } from '../../server/auth/access.ts'
import { readPage } from '../../server/transports/http/page.ts'
import { ask, expectProblem, newApp, recordedLog } from '../helpers/http.ts'
import { bearer, BY_SECRET, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0, idleMs: 60_000 }
const APP = 'https://app.example'

/** A request with whatever headers, Host too. */
function knock(port: number, path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.once('error', reject)
    outgoing.end()
  })
}

/** What an upgrade is answered with: 101, or the status of the refusal. */
function upgrade(port: number, headers: Readonly<Record<string, string>>, query = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/sync/plan${query}`, { headers })
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (outgoing, response) => {
      outgoing.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.on('error', reject)
  })
}

describe('[RL-54] pages of others', () => {
  const listening = async (app: App): Promise<number> => (await app.listen()).port

  test('in the open mode only this machine has pages and names', async () => {
    const port = await listening(
      newApp({ config: { ...LOOPBACK, allowedOrigins: [APP], allowedHosts: ['plans.example'] } }),
    )
    const cases: [headers: Record<string, string>, isLetIn: boolean][] = [
      [{}, true],
      [{ Host: `localhost:${port}` }, true],
      [{ Host: `[::1]:${port}` }, true],
      [{ Host: 'LOCALHOST' }, true],
      [{ Host: 'plans.example' }, true],
      [{ Host: 'plans.example:8443' }, true],
      [{ Host: 'evil.example' }, false],
      [{ Host: `127.0.0.1.evil.example:${port}` }, false],
      [{ Host: 'localhost.evil.example' }, false],
      [{ Host: 'evil.example', Origin: 'http://evil.example' }, false],
      [{ Origin: `http://127.0.0.1:${port}` }, true],
      [{ Origin: 'http://localhost:5173' }, true],
      [{ Origin: APP }, true],
      [{ Origin: 'http://app.example' }, false],
      [{ Origin: `${APP}:8443` }, false],
      [{ Origin: 'https://evil.example' }, false],
      [{ Origin: 'http://127.0.0.1.evil.example' }, false],
      [{ Origin: 'null' }, false],
      [{ Origin: 'file://' }, false],
      [{ Origin: '' }, false],
      [{ Origin: 'chrome-extension://abc' }, false],
    ]
    for (const [i, [headers, isLetIn]] of cases.entries()) {
      const note = JSON.stringify(headers)
      expect(await upgrade(port, headers), note).toBe(isLetIn ? 101 : 403)
      expect(await knock(port, '/threads', headers), note).toBe(isLetIn ? 200 : 403)
      expect(await knock(port, `/threads/plan-${i}`, headers, 'PUT'), note).toBe(isLetIn ? 201 : 403)
      expect(await knock(port, '/threads/plan/mcp', headers, 'POST'), note).toBe(isLetIn ? 400 : 403)
      expect(await knock(port, '/healthz', { ...headers, Origin: '' }, 'GET'), note).toBe(403)
    }
    expect(await knock(port, '/readyz', { Host: '10.1.2.3' })).toBe(200)
  })

  test('with tokens any name will do, but pages are the own or allowed ones', async () => {
    const access = await createAccess({ ...BY_SECRET, store: null })
    const config = { ...LOOPBACK, allowedOrigins: [APP], publicUrl: 'https://plans.example' }
    const port = await listening(newApp({ config, access }))
    const token = await tokenOf()
    const cases: [headers: Record<string, string>, isLetIn: boolean][] = [
      [{}, true],
      [{ Host: 'whatever.example' }, true],
      [{ Host: 'whatever.example', Origin: 'https://whatever.example' }, true],
      [{ Host: 'whatever.example:443', Origin: 'https://whatever.example' }, true],
      [{ Origin: 'https://plans.example' }, true],
      [{ Origin: APP }, true],
      [{ Origin: 'http://localhost:5173' }, false],
      [{ Host: 'whatever.example', Origin: 'https://evil.example' }, false],
      [{ Host: 'whatever.example', Origin: 'https://whatever.example:8443' }, false],
      [{ Origin: 'null' }, false],
    ]
    for (const [headers, isLetIn] of cases) {
      const note = JSON.stringify(headers)
      expect(await upgrade(port, headers, `?token=${token}`), note).toBe(isLetIn ? 101 : 403)
      expect(await knock(port, '/threads', { ...headers, ...bearer(token) }), note).toBe(isLetIn ? 200 : 403)
    }
  })

  test('[11-F30] behind a proxy that passes no Host the page comes whole, and the log says once what to set', async () => {
    const access = await createAccess({ ...BY_SECRET, store: null })
    const log = recordedLog()
    const port = await listening(newApp({ config: LOOPBACK, access, log }))
    const own = { Host: '127.0.0.1:4080', Origin: 'https://plans.example' }
    const page = readPage()
    expect(page).not.toBeNull()
    for (const path of [...(page?.keys() ?? [])].filter((one) => one !== '/index.html'))
      expect(await knock(port, path, own), path).toBe(200)
    expect(await knock(port, '/t/plan', own)).toBe(200)
    expect(log.lines).toEqual([])
    expect(await knock(port, '/t/plan', own, 'POST')).toBe(403)
    for (let i = 0; i < 3; i++) {
      expect(await knock(port, '/threads', own)).toBe(403)
      expect(await upgrade(port, own)).toBe(403)
    }
    const told = () => log.lines.map(({ level, fields, message }) => [level, fields, message])
    expect(told()).toEqual([
      [
        'warn',
        { origin: 'https://plans.example' },
        expect.stringMatching(/PLANROOM_PUBLIC_URL.*PLANROOM_ALLOWED_ORIGINS/),
      ],
    ])
    // Whoever makes up many is not told of for ever.
    for (let i = 0; i < 30; i++) await knock(port, '/threads', { Origin: `https://${'x'.repeat(i * 20)}.example` })
    expect(log.lines).toHaveLength(10)
  })

  test('[11-F30] a name that is refused is told too, probes are not', async () => {
    const log = recordedLog()
    const port = await listening(newApp({ config: LOOPBACK, log }))
    for (let i = 0; i < 2; i++) expect(await knock(port, '/t/plan', { Host: 'plans.example' })).toBe(403)
    expect(await knock(port, '/readyz', { Host: '10.1.2.3' })).toBe(200)
    expect(log.lines.map(({ fields, message }) => [fields, message])).toEqual([
      [{ host: 'plans.example' }, expect.stringContaining('PLANROOM_ALLOWED_HOSTS')],
    ])
  })

  test('the decision by itself', () => {
    const doors = createDoors({ hosts: ['fd00::1', 'Plans.Example:80'], origins: [], trustsLoopback: false })
    expect(
      ['[fd00::1]:9', 'plans.example', '127.9.9.9:1', undefined, '', 'a b', 'x@localhost', 'localhost/'].map((host) =>
        doors.allowsHost(host),
      ),
    ).toEqual([true, true, true, false, false, false, false, false])
    expect(doors.allowsOrigin('http://localhost', 'plans.example')).toBe(false)
    expect(doors.allowsOrigin('HTTP://plans.example', 'plans.example')).toBe(false)
    expect(doors.allowsOrigin('http://plans.example/', 'plans.example')).toBe(false)
    expect(doors.allowsOrigin('http://plans.example', undefined)).toBe(false)
  })
})

describe('pages of allowed origins', () => {
  const app = () => newApp({ config: { ...LOOPBACK, allowedOrigins: [APP], allowedHosts: ['planroom.test'] } })

  test('may ask first, and send and read what they need', async () => {
    const preflight = { Origin: APP, 'Access-Control-Request-Method': 'POST' }
    for (const path of ['/threads', '/threads/plan/tools/add_todos', '/threads/plan/mcp', '/admin/revoke']) {
      const { status, headers } = await ask(app(), path, { method: 'OPTIONS', headers: preflight })
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([204, APP, 'Origin'])
      expect(headers.get('access-control-allow-credentials')).toBe(null)
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, DELETE')
      for (const name of [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'X-Agent-Name',
        'MCP-Protocol-Version',
        'Mcp-Method',
      ])
        expect(headers.get('access-control-allow-headers')).toContain(name)
    }
    const headers = { Origin: APP, 'Sec-Fetch-Site': 'cross-site' }
    const answer = await ask(app(), '/threads/plan', { method: 'PUT', headers })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, APP])
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    // A refusal can be read as well.
    const unknown = await ask(app(), '/threads/none', { headers })
    expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([404, APP])
  })

  test('others may not even ask', async () => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
    const answer = await ask(app(), '/threads', { method: 'OPTIONS', headers })
    expectProblem(answer, 403, 'bad-origin')
    expect(answer.headers.get('access-control-allow-origin')).toBe(null)
  })

  test('a preflight needs no token', async () => {
    const access = await createAccess({ ...BY_SECRET, store: null })
    const guarded = newApp({ access, config: { ...LOOPBACK, allowedOrigins: [APP] } })
    const headers = {
      Origin: APP,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }
    expect((await ask(guarded, '/threads', { method: 'OPTIONS', headers })).status).toBe(204)
    const refused = await ask(guarded, '/threads', { headers: { Origin: APP } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, APP])
  })
})

test('whatever is served, no browser runs it, frames it or keeps it', async () => {
  const { app } = await newGuardedApp()
  const headers = bearer(await tokenOf())
  await ask(app, '/threads/plan', { method: 'PUT', headers })
  const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const answers = [
    await ask(app, '/'),
    await ask(app, '/threads'),
    await ask(app, '/nowhere', { headers }),
    await ask(app, '/threads/plan', { headers }),
    await ask(app, '/threads/plan/plan.md', { headers }),
    await ask(app, '/threads/plan', { method: 'PATCH', headers }),
    await ask(app, '/threads/plan/mcp', { method: 'POST', headers: accept, body: mcp }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200, 200, 405, 200])
  for (const { headers: got } of answers) {
    expect(got.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(got.get('x-content-type-options')).toBe('nosniff')
    expect(got.get('referrer-policy')).toBe('no-referrer')
    expect(got.get('x-frame-options')).toBe('DENY')
    expect(got.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(got.get('cache-control')).toMatch(/no-store|no-cache/)
  }
})

describe('[RB-H5] a client without a token learns where to get one', () => {
  test('from the challenge, and from what it points to', async () => {
    const access = await createAccess({ ...BY_SECRET, store: null })
    const config = { ...LOOPBACK, publicUrl: 'https://plans.example', authServers: ['https://login.example'] }
    const app = newApp({ access, config })
    for (const path of ['/threads/plan/mcp', '/threads/other/mcp']) {
      const refused = await ask(app, `${path}?dialect=tasks`, { method: 'POST', body: {} })
      expectProblem(refused, 401, 'not-authenticated')
      const metadata = `https://plans.example/.well-known/oauth-protected-resource${path}`
      expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`)
      expect((await ask(app, new URL(metadata).pathname)).json).toEqual({
        resource: `https://plans.example${path}`,
        resource_name: 'Planroom',
        bearer_methods_supported: ['header'],
        authorization_servers: ['https://login.example'],
      })
    }
  })

  test('and what was wrong with the one it has', async () => {
    const { app } = await newGuardedApp()
    const wrong = await ask(app, '/threads/plan/mcp', { method: 'POST', headers: bearer('x"y'), body: {} })
    expect(wrong.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://planroom.test/.well-known/oauth-protected-resource/threads/plan/mcp", ' +
        'error="invalid_token", error_description="the token is not whole: one has three parts, with dots between them"',
    )
    const token = await tokenOf({ role: 'viewer' })
    const weak = await ask(app, '/threads/plan', { method: 'PUT', headers: bearer(token) })
    expectProblem(weak, 403, 'not-allowed')
    expect(weak.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"')
    for (const Authorization of ['Basic YTpi', 'Bearer', 'Bearer ', token, `Bearer ${token} x`]) {
      expect((await ask(app, '/threads', { headers: { Authorization } })).status).toBe(401)
    }
    expect((await ask(app, '/threads', { headers: { Authorization: `bearer  ${token}` } })).status).toBe(200)
  })

  test('there is nothing to learn where no token is needed, or about what is no resource', async () => {
    const path = '/.well-known/oauth-protected-resource'
    expect((await ask(newApp(), `${path}/threads/plan/mcp`)).status).toBe(404)
    const { app } = await newGuardedApp()
    expect((await ask(app, path)).status).toBe(404)
    expect((await ask(app, `${path}/elsewhere`)).status).toBe(404)
    expectProblem(await ask(newApp(), '/admin/revoke', { method: 'POST', body: { subject: 'a' } }), 409, 'open')
  })
})
