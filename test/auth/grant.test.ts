import { describe, expect, test } from 'vitest'
import { type Action, EVERYTHING, may, ROLES, ThreadPattern } from '../../server/auth/grant.ts'

const holder = (...threads: string[]) => ({ role: 'viewer', threads }) as const

describe('may', () => {
  test('each role may do what the one before it may, and more', () => {
    const all: Action[] = ['read', 'list', 'write', 'create', 'actFor', 'delete', 'admin']
    const table = ROLES.map((role) => all.filter((action) => may({ role, threads: ['plan'] }, action, 'plan')))
    expect(table).toEqual([['read', 'list'], ['read', 'list', 'write', 'create', 'actFor'], all])
  })

  test('what concerns no thread in particular takes all threads, but everybody may ask for a list', () => {
    for (const role of ROLES) {
      expect(may({ role, threads: ['demo-*'] }, 'list', null)).toBe(true)
      expect(may({ role, threads: ['demo-*'] }, 'admin', null)).toBe(false)
      expect(may({ role, threads: ['*'] }, 'admin', null)).toBe(role === 'admin')
      expect(may({ role, threads: ['demo-*', '**'] }, 'admin', null)).toBe(role === 'admin')
    }
    expect(may(EVERYTHING, 'admin', null)).toBe(true)
  })

  test('a star stands for any characters, everything else for itself', () => {
    const cases: [pattern: string, fits: string[], not: string[]][] = [
      ['plan', ['plan'], ['plan2', 'pla', 'Plan', 'my-plan']],
      ['*', ['plan', 'a', '~'], []],
      ['demo-*', ['demo-', 'demo-1', 'demo-a-b'], ['demo', 'xdemo-1', 'Demo-1']],
      ['*-done', ['a-done', '-done'], ['a-done2', 'done']],
      ['a*a', ['aa', 'aba', 'aaa'], ['a', 'ab', 'ba']],
      ['a*b*c', ['abc', 'a1b2c', 'abbcc'], ['acb', 'ac', 'ab']],
      ['*mid*', ['mid', 'amidb'], ['md']],
      ['a.c', ['a.c'], ['abc']],
      ['a**b', ['ab', 'axb'], ['a']],
    ]
    for (const [pattern, fits, not] of cases) {
      for (const thread of fits) expect([pattern, thread, may(holder(pattern), 'read', thread)]).toContain(true)
      for (const thread of not) expect([pattern, thread, may(holder(pattern), 'read', thread)]).toContain(false)
    }
    expect(may(holder('a', 'b*'), 'read', 'bc')).toBe(true)
    expect(may(holder(), 'read', 'a')).toBe(false)
  })

  test('no pattern runs away: one that backtracked would not end within the patience of a test', () => {
    expect(may(holder(`${'*a'.repeat(63)}*b`), 'read', 'a'.repeat(128))).toBe(false)
  })

  test('patterns have the characters of thread ids', () => {
    for (const pattern of ['demo-*', '*', 'a.b_c~d']) expect(ThreadPattern.safeParse(pattern).success).toBe(true)
    for (const pattern of ['', 'a b', 'a/b', '[a-z]', 'a?', '(a|b)', 'x'.repeat(129)])
      expect(ThreadPattern.safeParse(pattern).success).toBe(false)
  })
})
