import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CryptoKey } from 'jose'
import { base64url, exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { NotAuthenticated } from '../../server/auth/refusals.ts'
import { createVerifier, type TokenOptions } from '../../server/auth/tokens.ts'
import { BY_SECRET, DAY, MAX_LIFE_MS, SECRET, tokenOf } from '../helpers/tokens.ts'

const NOW = Date.UTC(2026, 0, 1)
const SECONDS = NOW / 1_000
const verifier = (options: Partial<TokenOptions> = {}) => createVerifier({ ...BY_SECRET, now: () => NOW, ...options })
const GOOD = { sub: 'ada', role: 'editor', threads: ['*'], iat: SECONDS, exp: SECONDS + 60 }
const key = new TextEncoder().encode(SECRET)

/** Claims, some of them wrong. */
type Claimed = Readonly<Record<string, unknown>>

const signed = (claims: Claimed, alg = 'HS256', by: CryptoKey | Uint8Array = key, kid?: string): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(by)

/** Why a token is refused. */
async function refusal(verify: ReturnType<typeof verifier>, token: string): Promise<string> {
  const error: unknown = await verify(token).then(
    () => 'it was taken',
    (refused: unknown) => refused,
  )
  return error instanceof NotAuthenticated ? error.message : String(error)
}

/** A server of keys, with how often it was asked. */
async function serveKeys() {
  const state = { keys: [] as object[], asked: 0, isBroken: false }
  const server = createServer((_request, response) => {
    state.asked += 1
    if (state.isBroken) response.writeHead(500)
    response.end(JSON.stringify({ keys: state.keys }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  const publish = async (publicKey: CryptoKey, kid: string, alg: string) =>
    void state.keys.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' })
  return { state, jwksUrl, publish }
}

describe('what a token says', () => {
  test('is the actor, the role and the threads', async () => {
    const verify = verifier()
    expect(
      await verify(await signed({ ...GOOD, name: 'Ada', kind: 'human', jti: 'one', threads: ['a', 'b-*'] })),
    ).toEqual({
      actor: { id: 'ada', name: 'Ada', kind: 'human' },
      grant: { role: 'editor', threads: ['a', 'b-*'] },
      tokenId: 'one',
      issuedAt: NOW,
      expiresAt: NOW + 60_000,
    })
    const { actor, tokenId } = await verify(await signed(GOOD))
    expect([actor, tokenId]).toEqual([{ id: 'ada', name: 'ada', kind: 'agent' }, null])
  })

  test('is whole, or it is refused with what is wrong', async () => {
    const verify = verifier()
    const cases: [Claimed, RegExp][] = [
      [{ ...GOOD, sub: undefined }, /sub/],
      [{ ...GOOD, sub: '' }, /sub is empty/],
      [{ ...GOOD, sub: 'a\nb' }, /sub holds a control character/],
      [{ ...GOOD, name: 'x'.repeat(129) }, /name is longer/],
      [{ ...GOOD, kind: 'system' }, /kind is agent or human/],
      [{ ...GOOD, role: 'owner' }, /role is one of viewer, editor, admin/],
      [{ ...GOOD, role: undefined }, /role/],
      [{ ...GOOD, threads: undefined }, /threads/],
      [{ ...GOOD, threads: [] }, /threads is empty/],
      [{ ...GOOD, threads: '*' }, /threads/],
      [{ ...GOOD, threads: ['a/b'] }, /threads\.0/],
      [{ ...GOOD, exp: undefined }, /exp/],
      [{ ...GOOD, exp: SECONDS }, /has expired/],
      [{ ...GOOD, exp: SECONDS - 3_600 }, /has expired/],
      [{ ...GOOD, iat: SECONDS + 6 }, /from the future/],
      [{ ...GOOD, nbf: SECONDS + 6 }, /nbf/],
      [{ ...GOOD, exp: SECONDS + MAX_LIFE_MS / 1_000 + 1 }, /longer than 30 days/],
      [{ ...GOOD, iat: undefined, exp: SECONDS + MAX_LIFE_MS / 1_000 + 6 }, /from the future/],
    ]
    for (const [claims, reason] of cases) expect(await refusal(verify, await signed(claims))).toMatch(reason)
    // A clock that is a little ahead is no reason.
    await verify(await signed({ ...GOOD, iat: SECONDS + 5, nbf: SECONDS + 5 }))
    await verify(await signed({ ...GOOD, exp: SECONDS + MAX_LIFE_MS / 1_000 }))
  })

  test('without the time of its issue is taken for as old as it can be', async () => {
    const { issuedAt } = await verifier()(await signed({ ...GOOD, iat: undefined }))
    expect(issuedAt).toBe(NOW + 60_000 - 30 * DAY)
  })

  test('is meant for this server and made by the right one, where that is asked for', async () => {
    const verify = verifier({ audience: 'planroom', issuer: 'https://login.example' })
    const whole = { ...GOOD, aud: 'planroom', iss: 'https://login.example' }
    await verify(await signed({ ...whole, aud: ['other', 'planroom'] }))
    for (const wrong of [{ aud: 'other' }, { aud: undefined }]) {
      expect(await refusal(verify, await signed({ ...whole, ...wrong }))).toBe('the token is wrong: aud')
    }
    for (const wrong of [{ iss: 'https://evil.example' }, { iss: undefined }]) {
      expect(await refusal(verify, await signed({ ...whole, ...wrong }))).toBe('the token is wrong: iss')
    }
  })
})

describe('forgeries', () => {
  test('another secret, a changed claim, no signature, nonsense', async () => {
    const verify = verifier()
    expect(await refusal(verify, await tokenOf({ iat: SECONDS }, 'another secret, which is just as long'))).toMatch(
      /not signed/,
    )
    const [head = '', , signature = ''] = (await signed(GOOD)).split('.')
    const changed = base64url.encode(JSON.stringify({ ...GOOD, role: 'admin' }))
    expect(await refusal(verify, `${head}.${changed}.${signature}`)).toMatch(/not signed/)
    const none = new UnsecuredJWT(GOOD).encode()
    expect(await refusal(verify, none)).toBe('the token is signed in a way that is not accepted here')
    for (const alg of ['none', 'None', 'NONE', 'hs256', 'HS384', '']) {
      const forged = `${base64url.encode(JSON.stringify({ alg }))}.${base64url.encode(JSON.stringify(GOOD))}.${signature}`
      expect(await refusal(verify, forged)).toMatch(/not accepted here/)
    }
    for (const text of ['', 'x', 'a.b.c', '..', `${head}..`, 'x'.repeat(10_000), '{"alg":"HS256"}.{}.x']) {
      expect(await refusal(verify, text)).toMatch(/^the token /)
    }
    expect(await refusal(verify, await signed(GOOD, 'HS512', new Uint8Array(64)))).toMatch(/not accepted here/)
  })

  test('a public key is no secret, and a secret is no key', async () => {
    const { jwksUrl, publish } = await serveKeys()
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    await publish(publicKey, 'one', 'RS256')
    const spki = new TextEncoder().encode(await exportSPKI(publicKey))
    const byPublicKey = await signed(GOOD, 'HS256', spki, 'one')
    for (const options of [{ secret: null, jwksUrl }, { jwksUrl }]) {
      expect(await refusal(verifier(options), byPublicKey)).toMatch(/not accepted here|not signed/)
    }
    // Nor are keys asked for where there is a secret alone.
    expect(await refusal(verifier(), await signed(GOOD, 'RS256', privateKey, 'one'))).toMatch(/not accepted here/)
    expect(await refusal(verifier({ secret: null, jwksUrl }), await signed(GOOD))).toMatch(/not accepted here/)
    // Where there are both, each signs its own.
    await verifier({ jwksUrl })(await signed(GOOD, 'RS256', privateKey, 'one'))
    await verifier({ jwksUrl })(await signed(GOOD))
  })
})

describe('keys of a server', () => {
  test('sign by each algorithm that is taken, and are fetched once', async () => {
    const { state, jwksUrl, publish } = await serveKeys()
    const verify = verifier({ secret: null, jwksUrl })
    const tokens: string[] = []
    for (const alg of ['RS256', 'ES256', 'EdDSA', 'PS256']) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
      await publish(publicKey, alg, alg)
      tokens.push(await signed(GOOD, alg, privateKey, alg))
    }
    for (const token of tokens.slice(0, 3)) expect((await verify(token)).actor?.id).toBe('ada')
    expect(await refusal(verify, tokens[3] ?? '')).toMatch(/not accepted here/)
    expect(state.asked).toBe(1)
  })

  test('change: a new one is fetched when a token names it, but not at every token that names one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { state, jwksUrl, publish } = await serveKeys()
    const verify = verifier({ secret: null, jwksUrl })
    const first = await generateKeyPair('ES256', { extractable: true })
    const second = await generateKeyPair('ES256', { extractable: true })
    await publish(first.publicKey, 'first', 'ES256')
    await verify(await signed(GOOD, 'ES256', first.privateKey, 'first'))
    const early = await signed(GOOD, 'ES256', second.privateKey, 'second')
    for (let i = 0; i < 5; i += 1) expect(await refusal(verify, early)).toMatch(/not signed by a key/)
    expect(state.asked).toBe(1)
    state.keys = []
    await publish(second.publicKey, 'second', 'ES256')
    vi.setSystemTime(Date.now() + 11_000)
    await verify(early)
    expect(state.asked).toBe(2)
    expect(await refusal(verify, await signed(GOOD, 'ES256', first.privateKey, 'first'))).toMatch(/not signed by a key/)
  })

  test('that cannot be had say nothing about a token', async () => {
    const { state, jwksUrl, publish } = await serveKeys()
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    await publish(publicKey, 'one', 'ES256')
    state.isBroken = true
    const token = await signed(GOOD, 'ES256', privateKey, 'one')
    const verify = verifier({ secret: null, jwksUrl })
    expect(await refusal(verify, token)).toContain('KeysUnavailable')
    expect(await refusal(verifier({ secret: null, jwksUrl: 'http://127.0.0.1:1/' }), token)).toContain(
      'KeysUnavailable',
    )
    state.isBroken = false
    await verify(token)
  })
})
