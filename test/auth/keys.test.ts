import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createAccess } from '../../server/auth/access.ts'
import { WireClient } from '../helpers/clients.ts'
import { ask, expectProblem, newApp } from '../helpers/http.ts'
import { writeStep } from '../helpers/sockets.ts'
import { bearer, BY_SECRET } from '../helpers/tokens.ts'

test('a server that takes tokens by the keys of another one', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
  let isDown = true
  const keys = createServer((_request, response) => {
    if (isDown) response.writeHead(503)
    response.end(JSON.stringify({ keys: [jwk] }))
  }).listen(0, '127.0.0.1')
  await once(keys, 'listening')
  onTestFinished(() => {
    keys.closeAllConnections()
    keys.close()
  })
  const jwksUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`
  const app = newApp({ access: await createAccess({ ...BY_SECRET, secret: null, jwksUrl, store: null }) })
  const socketUrl = `${(await app.listen()).url.replace('http', 'ws')}/sync`
  const token = await new SignJWT({ role: 'editor', threads: ['*'] })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setSubject('ada')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  const connect = () => WireClient.connect(socketUrl, 'plan', { parameters: `token=${token}` })

  // It is not the token's fault: whoever has it shall come back.
  const refused = await ask(app, '/threads', { headers: bearer(token) })
  expectProblem(refused, 503, 'keys-unavailable')
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await connect().closed).toEqual({ code: 1013, reason: 'tokens cannot be checked just now' })

  isDown = false
  expect((await ask(app, '/threads', { headers: bearer(token) })).status).toBe(200)
  const client = connect()
  await client.synced
  await client.write((doc) => writeStep(doc, 'a'))
  await client.close()
})
