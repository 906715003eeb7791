import { describe, expect, onTestFinished, test } from 'vitest'
import type { Revocation, RevocationStore } from '../../server/auth/revocations.ts'

type Store = RevocationStore & { close(): Promise<void> }

const subject = (id: string, at: number, until: number): Revocation => ({ kind: 'subject', id, at, until })

/**
 * Every sentence of the port as a test.
 * @param openEmpty gives an empty store of its own at each call; the suite closes it
 */
export function describeRevocations(name: string, openEmpty: () => Promise<Store>): void {
  const open = async (): Promise<Store> => {
    const store = await openEmpty()
    onTestFinished(() => store.close())
    return store
  }

  describe(`revocations: ${name}`, () => {
    test('are given back until they may be forgotten', async () => {
      const store = await open()
      expect(await store.revocations(0)).toEqual([])
      await store.revoke(subject('ada', 1_000, 5_000))
      await store.revoke({ kind: 'token', id: 'ada', at: 2_000, until: 9_000 })
      const both = [subject('ada', 1_000, 5_000), { kind: 'token', id: 'ada', at: 2_000, until: 9_000 }]
      expect(await store.revocations(4_999)).toEqual(both)
      expect(await store.revocations(5_000)).toEqual(both.slice(1))
      // They are dropped then, and do not come back with an earlier time.
      expect(await store.revocations(0)).toEqual(both.slice(1))
    })

    test('of one subject are one, with the latest times', async () => {
      const store = await open()
      await store.revoke(subject('ada', 2_000, 6_000))
      await store.revoke(subject('ada', 1_000, 9_000))
      await store.revoke(subject('bob', 3_000, 4_000))
      expect(await store.revocations(0)).toEqual([subject('ada', 2_000, 9_000), subject('bob', 3_000, 4_000)])
    })

    test('a closed store rejects', async () => {
      const store = await open()
      await store.close()
      await expect(store.revoke(subject('ada', 1, 2))).rejects.toThrow('closed')
      await expect(store.revocations(0)).rejects.toThrow('closed')
    })
  })
}
