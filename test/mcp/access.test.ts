import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import type { Claims } from '../../server/auth/claims.ts'
import { ask } from '../helpers/http.ts'
import { bearer, newGuardedApp, tokenOf } from '../helpers/tokens.ts'

async function connect(url: string, claims: Partial<Claims>, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = bearer(await tokenOf(claims))
  const address = new URL(`${url}/threads/plan/mcp?name=somebody-else`)
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

const add = (client: Client) => client.callTool({ name: 'add_todos', arguments: { steps: [{ text: 'a' }] } })

test.each(['legacy', 'auto'] as const)('the token says who calls, and what they may do: %s', async (mode) => {
  const { app, url } = await newGuardedApp()
  const editor = await connect(url, { sub: 'ada', name: 'Ada' }, mode)
  expect(await add(editor)).toMatchObject({ structuredContent: { version: 1 } })
  const viewer = await connect(url, { sub: 'ben', role: 'viewer' }, mode)
  await expect(add(viewer)).rejects.toThrow(/403|Insufficient scope/)
  expect(await viewer.callTool({ name: 'list_todos' })).toMatchObject({ structuredContent: { version: 1 } })
  expect(await viewer.getPrompt({ name: 'plan' })).toMatchObject({ messages: [{ role: 'user' }] })
  await expect(connect(url, { threads: ['other-*'] }, mode)).rejects.toThrow(/403|Insufficient scope/)
  const headers = bearer(await tokenOf({ role: 'admin' }))
  const { json } = await ask(app, '/threads/plan/activity', { headers })
  expect((json as { entries: { actor: object }[] }).entries.map(({ actor }) => actor)).toEqual([
    { id: 'ada', name: 'Ada', kind: 'agent' },
  ])
})

test('a viewer’s batch that holds a change is refused whole', async () => {
  const { app } = await newGuardedApp()
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  const body = [call(1, 'list_todos', {}), call(2, 'add_todos', { steps: [{ text: 'a' }] })]
  const headers = {
    ...bearer(await tokenOf({ role: 'viewer' })),
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  expect(await ask(app, '/threads/plan/mcp', { method: 'POST', headers, body })).toMatchObject({ status: 403 })
})

test('a subscription ends with the token that it was asked for with', async () => {
  const { access, url } = await newGuardedApp()
  const [ada, ben] = [await connect(url, { sub: 'ada' }), await connect(url, { sub: 'ben' })]
  const subscriptions = [
    await ada.listen({ resourceSubscriptions: ['plan://plan'] }),
    await ben.listen({ resourceSubscriptions: ['plan://plan'] }),
  ]
  let isBenEnded = false
  void subscriptions[1]?.closed.then(() => (isBenEnded = true))
  expect(await access.revoke({ kind: 'subject', id: 'ada' })).toMatchObject({ closed: 1 })
  expect(await subscriptions[0]?.closed).toBe('remote')
  const told = new Promise((resolve) => ben.setNotificationHandler('notifications/resources/updated', resolve))
  await add(ben)
  await told
  expect(isBenEnded).toBe(false)
})
