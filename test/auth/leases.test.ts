import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAccess } from '../../server/auth/access.ts'
import type { Identity } from '../../server/auth/claims.ts'
import { Leases } from '../../server/auth/leases.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import { BY_SECRET, DAY, MAX_LIFE_MS, tokenOf } from '../helpers/tokens.ts'

const NOW = Date.UTC(2026, 0, 1)

function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW })
  onTestFinished(() => void vi.useRealTimers())
}

const until = (expiresAt: number): Identity => ({
  actor: { id: 'ada', name: 'Ada', kind: 'agent' },
  grant: { role: 'viewer', threads: ['*'] },
  tokenId: null,
  issuedAt: NOW,
  expiresAt,
})

describe('a lease', () => {
  test('ends when its token does, to the millisecond, however far off that is', () => {
    fakeClock()
    const leases = new Leases(Date.now, () => false)
    const ended: string[] = []
    leases.hold(until(NOW + 5_000), () => ended.push('short'))
    leases.hold(until(NOW + 30 * DAY), () => ended.push('long'))
    leases.hold(until(Infinity), () => ended.push('never'))
    vi.advanceTimersByTime(4_999)
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ended).toEqual(['short'])
    vi.advanceTimersByTime(30 * DAY - 5_001)
    expect(ended).toEqual(['short'])
    vi.advanceTimersByTime(1)
    expect(ended).toEqual(['short', 'long'])
    expect(leases.size).toBe(1)
  })

  test('that is given back never ends, and one that is over ends at once', () => {
    fakeClock()
    const leases = new Leases(Date.now, () => false)
    const ended: string[] = []
    leases.hold(until(NOW + 5_000), (why) => ended.push(why))()
    leases.hold(until(NOW), (why) => ended.push(why))
    vi.advanceTimersByTime(60_000)
    expect([ended, leases.size]).toEqual([['expired'], 0])
  })
})

describe('a revocation', () => {
  const open = async (store = createMemoryStorage()) => ({
    store,
    access: await createAccess({ ...BY_SECRET, store, now: Date.now }),
  })

  test('of a subject takes back what it was given until then, and nothing of others', async () => {
    fakeClock()
    const { access } = await open()
    const [ada, bob] = [await tokenOf(), await tokenOf({ sub: 'bob' })]
    const ended: string[] = []
    access.hold(await access.identify(ada), (why) => ended.push(`ada ${why}`))
    access.hold(await access.identify(bob), (why) => ended.push(`bob ${why}`))
    expect(await access.revoke({ kind: 'subject', id: 'ada' })).toEqual({ closed: 1, until: NOW + MAX_LIFE_MS })
    expect(ended).toEqual(['ada revoked'])
    await expect(access.identify(ada)).rejects.toThrow('revoked')
    await access.identify(bob)
    vi.setSystemTime(NOW + 1_000)
    await access.identify(await tokenOf())
  })

  test('of a token takes that one back, and one under way is ended as soon as it holds something', async () => {
    fakeClock()
    const { access } = await open()
    const [first, second] = [await tokenOf(), await tokenOf()]
    const identity = await access.identify(first)
    await access.revoke({ kind: 'token', id: identity.tokenId ?? '' })
    await expect(access.identify(first)).rejects.toThrow('revoked')
    await access.identify(second)
    const ended: string[] = []
    access.hold(identity, (why) => ended.push(why))()
    expect(ended).toEqual(['revoked'])
  })

  test('is remembered by the next server until every such token has expired', async () => {
    fakeClock()
    const { store, access } = await open()
    const longest = await tokenOf({ exp: (NOW + MAX_LIFE_MS) / 1_000 })
    await access.revoke({ kind: 'subject', id: 'ada' })
    vi.setSystemTime(NOW + MAX_LIFE_MS - 1_000)
    const next = await open(store)
    await expect(next.access.identify(longest)).rejects.toThrow('revoked')
    vi.setSystemTime(NOW + MAX_LIFE_MS)
    const last = await open(store)
    expect(await store.revocations(0)).toEqual([])
    await expect(last.access.identify(longest)).rejects.toThrow('expired')
  })

  test('counts though it cannot be kept', async () => {
    fakeClock()
    const store = { revoke: () => Promise.reject(new Error('disk full')), revocations: () => Promise.resolve([]) }
    const access = await createAccess({ ...BY_SECRET, store })
    const token = await tokenOf()
    await expect(access.revoke({ kind: 'subject', id: 'ada' })).rejects.toThrow('disk full')
    await expect(access.identify(token)).rejects.toThrow('revoked')
  })
})
