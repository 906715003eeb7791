import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Screen } from '../../client/cli/screen.ts'
import { Terminal } from '../../client/cli/terminal.ts'
import { cutToWidth } from '../../client/cli/width.ts'

describe('[11-F29] a line is cut to the width', () => {
  test.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['longer than ten', 10, 'longer th…'],
    ['漢字漢字漢字', 12, '漢字漢字漢字'],
    ['漢字漢字漢字', 7, '漢字漢…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['\u001b[31mred and more\u001b[0m', 5, '\u001b[31mred …\u001b[0m'],
    ['\u001b[31mred\u001b[0m', 3, '\u001b[31mred\u001b[0m'],
    ['', 5, ''],
  ])('%j in %i', (line, columns, cut) => {
    expect(cutToWidth(line, columns)).toBe(cut)
  })
})

describe('[11-F29] a screen', () => {
  const open = () => {
    let [written, ended] = ['', 0]
    const out = { isTTY: true, columns: 20, rows: 12, write: (text: string) => (written = text) }
    const terminal = new Terminal(out, out, { NO_COLOR: '1' })
    const lines = Array.from({ length: 50 }, (_, i) => `line ${i} of a text that is too long`)
    const screen = new Screen(
      terminal,
      () => ({ heading: 'plan', lines, below: ['told'] }),
      () => ended++,
    )
    const rows = () => stripVTControlCharacters(written).trimEnd().split('\n')
    return { screen, rows, first: () => rows()[2], ended: () => ended }
  }

  test('holds what fits, and nothing is wider', () => {
    const { screen, rows } = open()
    screen.draw()
    expect(rows().length).toBeLessThanOrEqual(12)
    expect(rows().every((row) => row.length <= 20)).toBe(true)
    expect(rows().slice(0, 3)).toEqual(['plan', '', 'line 0 of a text th…'])
    expect(rows().at(-1)).toBe('told')
  })

  test('scrolls by keys, no further than there is, and ends', () => {
    const { screen, first, ended } = open()
    for (const [keys, top] of [
      ['\u001b[B', 1],
      ['jj', 3],
      ['\u001b[A', 2],
      ['\u001b[6~', 7],
      ['\u001b[5~\u001b[5~', 0],
      ['\u001b[F', 44],
      ['\u001b[B', 44],
      ['\u001b[H', 0],
      ['x', 0],
    ] as const) {
      screen.type(keys)
      expect([keys, first()]).toEqual([keys, `line ${top} of a text ${top > 9 ? 't…' : 'th…'}`])
    }
    screen.type('q')
    screen.type('\u0003')
    expect(ended()).toBe(2)
  })
})
