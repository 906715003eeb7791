import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const COLUMNS = 5

test('every test that the threat model names is there', () => {
  const rows = readFileSync('docs/threat-model.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2) // the head and the rule below it
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  expect(rows.length).toBeGreaterThan(20)
  const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('threat-model'))
    .map((name) => readFileSync(join('test', name), 'utf8'))
  const titles = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(?:(['`])(.*?)\1)/gs)].map(
      (found) => found[2] ?? '',
    ),
  )
  for (const row of rows) {
    expect(row).toHaveLength(COLUMNS)
    const title = row[COLUMNS - 1] ?? ''
    expect(title).not.toBe('')
    const isThere = titles.some((one) => one.includes(title))
    expect(isThere, title).toBe(true)
  }
})
