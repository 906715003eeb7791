import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { makePage } from '../helpers/docs-pages.ts'
import { newApp } from '../helpers/http.ts'

const PAGES = readdirSync('docs/src').map((name) => name.replace(/\.md$/, ''))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 5, 9) })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each(PAGES)('docs/%s.md is what comes of its source; `npm run docs` makes it', async (name) => {
  const page = await makePage(newApp(), name)
  expect(page).toBe(await makePage(newApp(), name))
  await expect(page).toMatchFileSnapshot(`../../docs/${name}.md`)
})

test('every dialect has its page, and no page has lost its source', () => {
  expect(PAGES).toEqual(expect.arrayContaining([...DIALECTS.keys()]))
  // Written by hand; that every test it names exists is checked by a test of its own.
  const made = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'threat-model.md')
  expect(PAGES.map((name) => `${name}.md`)).toEqual(expect.arrayContaining(made))
})
