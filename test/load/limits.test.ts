import { describe, expect, test, vi } from 'vitest'
import { createAddresses } from '../../server/transports/limits/addresses.ts'
import { Backlog } from '../../server/transports/limits/backlog.ts'
import { Bucket } from '../../server/transports/limits/bucket.ts'
import { createLimits } from '../../server/transports/limits/limits.ts'
import { STANDARD_LIMITS } from '../../shared/schema/limit-settings.ts'
import { Meter } from '../../server/transports/limits/meter.ts'
import { Rate } from '../../server/transports/limits/rates.ts'
import { Seats } from '../../server/transports/limits/seats.ts'
import {
  ACTOR_WORK_MS,
  FRAME_BURST,
  MAX_BUFFERED_SHARE_BYTES,
  REFUSAL_WORK_MS,
  WORK_BURST_MS,
} from '../../shared/schema/limits.ts'
import { quiet } from '../helpers/sockets.ts'

describe('[RL-63] who is counted', () => {
  const of = createAddresses(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])

  test.each([
    // Without a proxy that is trusted the header says nothing: anybody can send it.
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['198.51.100.1', '10.0.0.1', '198.51.100.1'],
    // From one that is, the last address that it did not write itself.
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['fd00::1', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '1.1.1.1, 203.0.113.9, 10.9.9.9,192.0.2.7', '203.0.113.9'],
    ['10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
    ['10.1.2.3', '[2001:db8:1:2:3::9]:4711', '2001:db8:1:2::/64'],
    // Nothing, or nonsense: the proxy itself.
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, <script>', '10.1.2.3'],
    // One customer of IPv6 has a whole network.
    ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::7', undefined, '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', undefined, '2001:db8:0:1::/64'],
    // This machine, or a proxy on it that was not named: one limit would bind everybody behind it.
    ['127.0.0.1', undefined, null],
    ['::1', '203.0.113.9', null],
    ['::ffff:127.0.0.1', '203.0.113.9', null],
    [undefined, '203.0.113.9', null],
  ])('%s, forwarded for %s, is %s', (remote, forwarded, address) => {
    expect(of(remote, forwarded)).toBe(address)
  })

  test('a proxy on this machine may be trusted too', () => {
    const behind = createAddresses(['127.0.0.1', '::1'])
    expect(behind('127.0.0.1', '203.0.113.9')).toBe('203.0.113.9')
    expect(behind('127.0.0.1', undefined)).toBe(null)
  })

  test('a header of thousands of hops is not walked through', () => {
    const hops = Array.from({ length: 5_000 }, () => '10.0.0.1').join(',')
    expect(of('10.1.2.3', `203.0.113.9,${hops}`)).toBe('10.0.0.1')
  })
})

describe('what is counted', () => {
  test('seats: in all and under each name, given back once', () => {
    const seats = new Seats(3, 2)
    const leave = [seats.take('a'), seats.take('a')]
    expect(seats.take('a')).toBe('own')
    const nobody = seats.take(null)
    expect(seats.take('b')).toBe('all')
    for (const one of [leave[0], leave[0], nobody]) if (typeof one === 'function') one()
    expect(seats.taken).toBe(1)
    expect(typeof seats.take('a')).toBe('function')
    expect(seats.take('a')).toBe('own')
  })

  test('a bucket: so much at a time, and so much a second', () => {
    let now = 0
    const bucket = new Bucket(10, 2, () => now)
    expect([bucket.take(10), bucket.take(1)]).toEqual([true, false])
    now = 1_000
    expect([bucket.take(1), bucket.take(1)]).toEqual([true, false])
    now = 1_000_000
    expect([bucket.take(10), bucket.take(1)]).toEqual([true, false])
  })

  test('a rate: so many points in a span, for each name, and then when to come back', async () => {
    const rate = new Rate(10, 10)
    expect(await rate.take('a', 10)).toBe(null)
    expect(await rate.take('a')).toBe(10)
    expect(await rate.take('b')).toBe(null)
    expect(await rate.take(null, 1_000)).toBe(null)
    expect(await rate.wait('a')).toBe(10)
    expect(await rate.wait('b')).toBe(null)
    expect(await rate.charge('b', 9.5)).toBe(10)
  })

  test('a backlog: all together may be so far behind; then those go that are far behind, and nobody else', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const backlog = new Backlog(10 * MAX_BUFFERED_SHARE_BYTES)
      const readers = Array.from({ length: 9 }, () => ({ buffered: MAX_BUFFERED_SHARE_BYTES + 1 }))
      for (const reader of readers) backlog.add(reader)
      vi.advanceTimersByTime(1_000)
      expect(backlog.isTooMuch(MAX_BUFFERED_SHARE_BYTES + 1)).toBe(false)
      backlog.add({ buffered: MAX_BUFFERED_SHARE_BYTES })
      vi.advanceTimersByTime(1_000)
      expect(backlog.isTooMuch(MAX_BUFFERED_SHARE_BYTES + 1)).toBe(true)
      expect(backlog.isTooMuch(MAX_BUFFERED_SHARE_BYTES)).toBe(false)
      backlog.delete(readers[0] ?? { buffered: 0 })
      backlog.sent(100 * MAX_BUFFERED_SHARE_BYTES)
      expect(backlog.isOver).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a meter', () => {
  test('frames and work have limits of the connection', () => {
    const reasons: string[] = []
    const meter = new Meter(createLimits(), null, (reason) => reasons.push(reason))
    for (let nth = 0; nth < FRAME_BURST; nth++) expect(meter.frame()).toBe(true)
    meter.work(WORK_BURST_MS - 1_000)
    expect(reasons).toEqual([])
    for (let nth = 0; nth < FRAME_BURST && meter.frame(); nth++);
    meter.work(2_000)
    expect(reasons).toEqual(['too many messages', 'what you send takes too long to work on'])
  })

  test('who burns the time of the server over many connections is charged for all of them', async () => {
    const limits = createLimits()
    const reasons: string[] = []
    const most = ACTOR_WORK_MS / REFUSAL_WORK_MS
    for (let nth = 0; nth < most; nth++) new Meter(limits, 'mallory', (reason) => reasons.push(reason)).refused()
    await quiet()
    expect([reasons, await limits.work.wait('mallory')]).toEqual([[], null])
    new Meter(limits, 'mallory', (reason) => reasons.push(reason)).work(100)
    await quiet()
    expect(reasons).toEqual([expect.stringMatching(/^what you send takes too long to work on: come back in \d+ s$/)])
    expect(await limits.work.wait('mallory')).toBeGreaterThan(0)
    expect(await limits.work.wait('ada')).toBe(null)
  })

  test('nothing is counted where limits are off, and memory is bounded all the same', async () => {
    const limits = createLimits({ ...STANDARD_LIMITS, isOn: false, connections: 1, addressRate: 1, actorRate: 1 })
    const reasons: string[] = []
    const meter = new Meter(limits, 'ada', (reason) => reasons.push(reason))
    for (let nth = 0; nth < 2 * FRAME_BURST; nth++) meter.frame()
    meter.work(1e9)
    meter.refused()
    await quiet()
    expect(reasons).toEqual([])
    expect(limits.addressOf('203.0.113.9', undefined)).toBe(null)
    expect(await limits.actorRate.take('ada', 1e9)).toBe(null)
    expect(limits.bodies.take(1e12)).toBe(false)
  })
})
