import { describe, expect, test } from 'vitest'
import { WireClient } from '../helpers/clients.ts'
import { awarenessFrame, writeStep } from '../helpers/sockets.ts'
import { bearer, type Guarded, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

type Outcome = number | string
type Door = (at: Guarded, token: string | null) => Promise<Outcome>

const PLAN = 'demo-plan'

/** Who knocks: with which token. `outsider` may everything, but with other threads. */
const WHO = {
  nobody: async () => null,
  forged: () => tokenOf({ role: 'admin' }, 'another secret, which is just as long'),
  expired: () => tokenOf({ role: 'admin', iat: seconds() - 7_200, exp: seconds() - 1 }),
  revoked: () => tokenOf({ role: 'admin', sub: 'mallory', iat: seconds() - 60 }),
  outsider: () => tokenOf({ role: 'admin', threads: ['other-*', 'demo'] }),
  viewer: () => tokenOf({ role: 'viewer', threads: ['demo-*'] }),
  editor: () => tokenOf({ role: 'editor', threads: ['demo-*'] }),
  admin: () => tokenOf({ role: 'admin', threads: ['demo-*'] }),
  root: () => tokenOf({ role: 'admin', threads: ['*'] }),
} as const
const seconds = (): number => Math.floor(Date.now() / 1_000)

const http =
  (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Door =>
  async ({ url }, token) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(token === null ? {} : bearer(token)), 'X-Agent-Name': 'root', 'X-Agent-Id': 'root', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.text()
    return response.status
  }
const mcp = (method: string, params: object = {}): Door =>
  http(
    'POST',
    `/threads/${PLAN}/mcp`,
    { jsonrpc: '2.0', id: 1, method, params },
    {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
  )

/** How a client fares that wants something: 'ok', or the code that it is closed with. */
const socket =
  (want: (client: WireClient, at: Guarded) => Promise<unknown>): Door =>
  async (at, token) => {
    const parameters = token === null ? 'role=admin' : `token=${token}`
    const client = WireClient.connect(at.socketUrl, PLAN, { name: 'root', parameters })
    const wanted = client.synced.then(() => want(client, at))
    wanted.catch(() => {})
    const outcome = await Promise.race([wanted.then(() => 'ok'), client.closed.then(({ code }) => code)])
    await client.close()
    return outcome
  }

const seenByOthers = async (client: WireClient, at: Guarded): Promise<void> => {
  const other = WireClient.connect(at.socketUrl, PLAN, { parameters: `token=${await WHO.root()}` })
  const seen = new Promise<void>((resolve) => {
    other.socket.on('message', (data: Buffer) => {
      if (data.includes('here I am')) resolve()
    })
  })
  client.send(awarenessFrame({ client: 7, clock: 1, state: '{"words":"here I am"}' }))
  await seen
  await other.close()
}

/** Every door, and how each of them fares there: nobody, forged, expired, revoked, outsider; viewer, editor, admin, root. */
const TABLE: [name: string, door: Door, refused: Outcome, outsider: Outcome, ...allowed: Outcome[]][] = [
  ['the front door', http('GET', '/'), 200, 200, 200, 200, 200, 200],
  ['the description', http('GET', '/openapi.json'), 200, 200, 200, 200, 200, 200],
  ['probes', http('GET', '/healthz'), 200, 200, 200, 200, 200, 200],
  ['where nothing is', http('GET', '/nowhere'), 401, 404, 404, 404, 404, 404],
  ['the list', http('GET', '/threads'), 401, 200, 200, 200, 200, 200],
  ['read', http('GET', `/threads/${PLAN}`), 401, 403, 200, 200, 200, 200],
  ['read by HEAD', http('HEAD', `/threads/${PLAN}`), 401, 403, 200, 200, 200, 200],
  ['read what is not there', http('GET', '/threads/demo-none'), 401, 403, 404, 404, 404, 404],
  ['markdown', http('GET', `/threads/${PLAN}/plan.md`), 401, 403, 200, 200, 200, 200],
  ['what is pending', http('GET', `/threads/${PLAN}/pending`), 401, 403, 200, 200, 200, 200],
  ['activity', http('GET', `/threads/${PLAN}/activity`), 401, 403, 200, 200, 200, 200],
  ['definitions', http('GET', `/threads/${PLAN}/tools`), 401, 403, 200, 200, 200, 200],
  ['context', http('GET', `/threads/${PLAN}/context`), 401, 403, 200, 200, 200, 200],
  ['context for oneself', http('GET', `/threads/${PLAN}/context?for=ada`), 401, 403, 200, 200, 200, 200],
  ['context for another', http('GET', `/threads/${PLAN}/context?for=bob`), 401, 403, 403, 200, 200, 200],
  ['a tool that reads', http('POST', `/threads/${PLAN}/tools/list_todos`, {}), 401, 403, 200, 200, 200, 200],
  [
    'a tool that writes',
    http('POST', `/threads/${PLAN}/tools/add_todos`, { steps: [{ text: 'a' }] }),
    401,
    403,
    403,
    200,
    200,
    200,
  ],
  ['create', http('PUT', '/threads/demo-new'), 401, 403, 403, 201, 200, 200],
  ['create what is there', http('PUT', `/threads/${PLAN}`), 401, 403, 403, 200, 200, 200],
  ['delete', http('DELETE', '/threads/demo-gone'), 401, 403, 403, 403, 204, 410],
  ['revoke', http('POST', '/admin/revoke', { subject: 'nemo' }), 401, 403, 403, 403, 403, 200],
  ['list tools over MCP', mcp('tools/list'), 401, 403, 200, 200, 200, 200],
  ['read over MCP', mcp('resources/read', { uri: `plan://${PLAN}` }), 401, 403, 200, 200, 200, 200],
  [
    'a tool that reads over MCP',
    mcp('tools/call', { name: 'list_todos', arguments: {} }),
    401,
    403,
    200,
    200,
    200,
    200,
  ],
  [
    'a tool that writes over MCP',
    mcp('tools/call', { name: 'add_todos', arguments: { steps: [{ text: 'a' }] } }),
    ...([401, 403, 403, 200, 200, 200] as const),
  ],
  ['follow over a socket', socket(async () => {}), 4401, 4403, 'ok', 'ok', 'ok', 'ok'],
  ['be seen over a socket', socket(seenByOthers), 4401, 4403, 'ok', 'ok', 'ok', 'ok'],
  [
    'write over a socket',
    socket((client) => client.write((doc) => writeStep(doc, 'a'))),
    ...([4401, 4403, 4403, 'ok', 'ok', 'ok'] as const),
  ],
]
const REFUSED = ['nobody', 'forged', 'expired', 'revoked'] as const
const LET_IN = ['viewer', 'editor', 'admin', 'root'] as const

describe('every role against every door', () => {
  test('is let in where it may, and refused where not', async () => {
    const at = await newGuardedApp()
    const root = await WHO.root()
    for (const thread of [PLAN, 'demo-gone']) await http('PUT', `/threads/${thread}`)(at, root)
    await http('POST', '/admin/revoke', { subject: 'mallory' })(at, root)
    const seen = await Promise.all(
      TABLE.map(async ([name, door, refused, outsider, ...allowed]) => {
        const expected: [string, Outcome][] = [
          // A good token that was taken back is told so on a socket: it was allowed once.
          ...REFUSED.map((who): [string, Outcome] => [who, who === 'revoked' && refused === 4401 ? 4403 : refused]),
          ['outsider', outsider],
          ...LET_IN.map((who, i): [string, Outcome] => [who, allowed[i] ?? '']),
        ]
        const found: [string, Outcome][] = []
        for (const [who] of expected) found.push([who, await door(at, await WHO[who as keyof typeof WHO]())])
        return { name, expected, found }
      }),
    )
    const asText = (key: 'expected' | 'found') => seen.map((row) => `${row.name}: ${row[key].join(' ')}`)
    expect(asText('found')).toEqual(asText('expected'))
  })

  test('whoever is refused changes nothing, and the one who is let in is who the token says', async () => {
    const at = await newGuardedApp()
    const write: Door = http('POST', `/threads/${PLAN}/tools/add_todos`, { steps: [{ text: 'a' }] })
    for (const who of [...REFUSED.slice(0, 3), 'outsider', 'viewer'] as const) await write(at, await WHO[who]())
    const root = await tokenOf({ sub: 'root-id', name: 'Root', role: 'admin', kind: 'human' })
    expect(await http('GET', `/threads/${PLAN}`)(at, root)).toBe(404)
    await write(at, root)
    const socketed = WireClient.connect(at.socketUrl, PLAN, { name: 'mallory', parameters: `id=mallory&token=${root}` })
    await socketed.synced
    await socketed.write((doc) => writeStep(doc, 'b'))
    await socketed.close()
    const activity = await fetch(`${at.url}/threads/${PLAN}/activity`, { headers: bearer(root) })
    const { entries } = (await activity.json()) as { entries: { actor: unknown; source: string }[] }
    const actor = { id: 'root-id', name: 'Root', kind: 'human' }
    expect(entries.map((entry) => [entry.source, entry.actor])).toEqual([
      ['http', actor],
      ['ws', actor],
    ])
  })

  test('the list shows what a token is good for, in pages', async () => {
    const at = await newGuardedApp()
    const root = await tokenOf({ role: 'admin' })
    for (const thread of ['a1', 'b1', 'a2', 'b2', 'a3']) await http('PUT', `/threads/${thread}`)(at, root)
    const list = async (threads: string[], query = '') => {
      const headers = bearer(await tokenOf({ role: 'viewer', threads }))
      const answer = await fetch(`${at.url}/threads${query}`, { headers })
      const { threads: shown, next } = (await answer.json()) as { threads: { thread: string }[]; next: string | null }
      return [shown.map(({ thread }) => thread), next]
    }
    expect(await list(['*'])).toEqual([['a1', 'a2', 'a3', 'b1', 'b2'], null])
    expect(await list(['b*', 'a2'])).toEqual([['a2', 'b1', 'b2'], null])
    expect(await list(['b*', 'a2'], '?limit=2')).toEqual([['a2', 'b1'], 'b1'])
    expect(await list(['b*', 'a2'], '?limit=2&after=b1')).toEqual([['b2'], null])
    expect(await list(['none'])).toEqual([[], null])
  })

  test('an actor is a subject: two of one name are two [RB-C3]', async () => {
    const at = await newGuardedApp()
    const add = http(
      'POST',
      `/threads/${PLAN}/tools/add_todos`,
      { steps: [{ text: 'a' }] },
      { 'Idempotency-Key': 'one' },
    )
    for (const sub of ['u1', 'u2']) await add(at, await tokenOf({ sub, name: 'agent' }))
    const headers = bearer(await tokenOf())
    const plan = (await (await fetch(`${at.url}/threads/${PLAN}`, { headers })).json()) as { steps: unknown[] }
    // With one key: had they been one, the second call would have been a repeat.
    expect(plan.steps.length).toBe(2)
  })
})
