import { describe, expect, test } from 'vitest'
import { readPlanMarkdown } from '../../shared/plan/markdown-read.ts'

const MARKS = { pending: ' ', in_progress: '*', completed: 'x', cancelled: '-', blocked: '!' }
/** The steps of a file as an outline, each with its group. */
const outline = (markdown: string): string[] =>
  readPlanMarkdown(markdown).steps.map(
    ({ depth, status, text, group }) =>
      `${'.'.repeat(depth)}[${MARKS[status]}] ${text}${group === null ? '' : ` (${group})`}`,
  )
const left = (markdown: string): string[] =>
  readPlanMarkdown(markdown).leftOut.map(({ line, end, why }) => `${line}${end === line ? '' : `-${end}`} ${why}`)

describe('lists of tasks that people have', () => {
  test.each([
    ['two blanks', '- [ ] a\n  - [x] b\n    - [ ] c\n- [ ] d'],
    ['three', '- [ ] a\n   - [x] b\n      - [ ] c\n- [ ] d'],
    ['four', '- [ ] a\n    - [x] b\n        - [ ] c\n- [ ] d'],
    ['tabs', '- [ ] a\n\t- [x] b\n\t\t- [ ] c\n- [ ] d'],
    ['tabs and blanks', '- [ ] a\n  - [x] b\n\t- [ ] c\n- [ ] d'],
    ['ordered', '1. [ ] a\n   1. [x] b\n      - [ ] c\n2) [ ] d'],
    ['other bullets', '* [ ] a\n  + [X] b\n    • [ ] c\n* [ ] d'],
    ['CRLF and a byte-order mark', '\uFEFF- [ ] a\r\n  - [x] b\r\n    - [ ] c\r\n- [ ] d\r\n'],
    ['blank lines between', '- [ ] a\n\n  - [x] b\n\n    - [ ] c\n\n- [ ] d\n'],
    ['slips', '-[ ] a\n  - [x]b\n    - [] c\n[ ] d'],
  ])('nested by %s', (_name, markdown) => {
    expect(outline(markdown)).toEqual(['[ ] a', '.[x] b', '..[ ] c', '[ ] d'])
    expect(left(markdown)).toEqual([])
  })

  test('a file without checkboxes: every bullet is a step', () => {
    expect(outline('Shopping\n\n- fruit\n  - apples\n\t\t- red\n1. bread\n')).toEqual([
      '[ ] fruit',
      '.[ ] apples',
      '..[ ] red',
      '[ ] bread',
    ])
    expect(left('Shopping\n\n- fruit\n')).toEqual(['1 text that belongs to no step'])
  })

  test('a bullet without a checkbox: a step if tasks stand below it, else told of the step above', () => {
    const file = '- Backend\n  - [ ] parser\n    - by hand\n      - no tools\n  - [x] tests\n- by the way\n'
    expect(outline(file)).toEqual(['[ ] Backend', '.[ ] parser', '.[x] tests'])
    expect(readPlanMarkdown(file).steps[1]?.details).toBe('- by hand\n  - no tools')
    expect(left(file)).toEqual(['6 a bullet without a checkbox, in a file that has checkboxes'])
  })

  test('statuses as several programs write them; an unknown mark is said', () => {
    const file = '- [x] a\n- [*] b\n- [/] c\n- [-] d\n- [!] e\n- [?] f\n- [a](http://b) g\n'
    expect(outline(file)).toEqual(['[x] a', '[*] b', '[*] c', '[-] d', '[!] e', '[ ] [?] f'])
    expect(readPlanMarkdown(file).notes).toEqual([
      { line: 4, text: 'the mark [-] was read as cancelled' },
      { line: 6, text: 'the mark [?] is not known: it was read as pending, and stays in the text' },
    ])
    expect(left(file)).toEqual(['7 a bullet without a checkbox, in a file that has checkboxes'])
  })

  test('[RB-I2] a checkbox within a text is text', () => {
    expect(outline('- [ ] support [x] flag\n- [x] and [ ] not\n')).toEqual(['[ ] support [x] flag', '[x] and [ ] not'])
  })

  test('a text that goes on in the next line', () => {
    expect(outline('- [ ] one\n  two\nthree\n- [ ] a\\\n  b\n- [ ] C:\\x\\\n- [ ] d\n')).toEqual([
      '[ ] one two three',
      '[ ] a\nb',
      '[ ] C:\\x\\',
      '[ ] d',
    ])
  })

  test('paragraphs, quotations and code below a step are its details', () => {
    const file = '- [ ] a\n\n  Because.\n  > Said.\n\n  ```sh\n  - [ ] no\n    two\n  ```\n  - [ ] b\n'
    expect(readPlanMarkdown(file).steps.map(({ text, details }) => [text, details])).toEqual([
      ['a', 'Because.\nSaid.\n```sh\n- [ ] no\n  two\n```'],
      ['b', ''],
    ])
    expect(left(file)).toEqual([])
  })
})

describe('what is not a step', () => {
  test('[RB-I1] nothing in a fence is, whatever closes it', () => {
    const file = '- [ ] a\n```md\n- [ ] b\n~~~\n```\n~~~~\n- [ ] c\n~~~\n```\n~~~~\n- [ ] d\n``` not `a` fence ```\n'
    expect(outline(file)).toEqual(['[ ] a', '[ ] d ``` not `a` fence ```'])
    expect(left(file)).toEqual(['2-5 inside a code fence', '6-10 inside a code fence'])
  })

  test('[RB-I1] a fence that is never closed is said', () => {
    const { steps, notes, leftOut } = readPlanMarkdown('- [ ] a\n```\n- [ ] b\n')
    expect([steps.length, leftOut.length]).toEqual([1, 1])
    expect(notes).toEqual([{ line: 2, text: 'A code fence is never closed: nothing below it was read' }])
  })

  test('comments, front matter, quotations, text and headings without steps are left out, each with its line', () => {
    const file =
      '---\ntags: x\n---\nIntro\nmore\n\n<!-- sample:\n- [ ] no\n-->\n> - [ ] quoted\n\n## Install\n\nRun it.\n\n## Do\n- [ ] a\n'
    expect(outline(file)).toEqual(['[ ] a (Do)'])
    expect(left(file)).toEqual([
      '1-3 front matter',
      '4-5 text that belongs to no step',
      '7-9 a comment',
      '10 a quotation that belongs to no step',
      '12 a heading with no steps under it',
      '14 text that belongs to no step',
    ])
  })

  test('nothing at all', () => {
    for (const file of ['', '\n\n', '\uFEFF', 'words'])
      expect(readPlanMarkdown(file)).toMatchObject({ title: null, groups: [], steps: [] })
  })
})

describe('headings', () => {
  test('[RB-I2] underlined ones are the title and groups', () => {
    const file = 'My\nplan\n=======\n\n- [ ] a\n\nBackend\n-------\n- [ ] b\n- [ ] c\n---\n'
    expect(outline(file)).toEqual(['[ ] a', '[ ] b (Backend)', '[ ] c (Backend)'])
    expect(readPlanMarkdown(file)).toMatchObject({ title: 'My plan', leftOut: [] })
  })

  test('the first of level 1 is the title, all others are groups; equal ones are told apart by what stands above', () => {
    const file = '# T #\n## A\n### Tests\n- [ ] a\n### Code ##\n- [ ] b\n## B\n### Tests\n- [ ] c\n# Z\n- [ ] d\n'
    expect(outline(file)).toEqual(['[ ] a (A / Tests)', '[ ] b (Code)', '[ ] c (B / Tests)', '[ ] d (Z)'])
    expect(readPlanMarkdown(file).title).toBe('T')
  })
})

test('tasks of spec-kit: phases, names, what they depend on', () => {
  const file = `# Tasks: Photo albums

**Input**: Design documents from \`/specs/001-albums/\`

<!--
  - [ ] T099 a sample task
-->

## Format: \`[ID] [P?] [Story] Description\`

- **[P]**: Can run in parallel

## Phase 1: Setup (Shared Infrastructure)

**Purpose**: Project initialization

- [x] T001 Create project structure per implementation plan
- [ ] T002 [P] Configure linting

**Checkpoint**: Foundation ready

---

## Phase 2: User Story 1 (Priority: P1) 🎯 MVP

### Tests for User Story 1 ⚠️

- [ ] T003 [P] [US1] Contract test in tests/contract/test_albums.py

### Implementation for User Story 1

- [ ] T004 [US1] Implement service in src/services/album.py (depends on T002, T003)

## Parallel Example

\`\`\`bash
- [ ] Task: "Contract test"
\`\`\`
`
  const { title, steps, groups, leftOut } = readPlanMarkdown(file)
  expect(title).toBe('Tasks: Photo albums')
  expect(steps.map(({ text, alias }) => [alias, text])).toEqual([
    ['T001', 'T001 Create project structure per implementation plan'],
    ['T002', 'T002 [P] Configure linting'],
    ['T003', 'T003 [P] [US1] Contract test in tests/contract/test_albums.py'],
    ['T004', 'T004 [US1] Implement service in src/services/album.py (depends on T002, T003)'],
  ])
  expect(steps[3]?.dependencies).toEqual([{ step: 1 }, { step: 2 }])
  expect(groups.map((group) => group.title)).toEqual([
    'Phase 1: Setup (Shared Infrastructure)',
    'Tests for User Story 1 ⚠️',
    'Implementation for User Story 1',
  ])
  expect(leftOut.map(({ line }) => line)).toEqual([3, 5, 9, 11, 15, 20, 24, 34, 36])
})

test('what plan_load_from_md reads is read here too', () => {
  const file = '## backend\n- [x] Write the parser\n- [ ] Test it\n  - depends: task-1, task-9, ship it\n'
  const { steps } = readPlanMarkdown(file)
  expect(steps[1]?.dependencies).toEqual([{ step: 0 }, { name: 'task-9' }, { name: 'ship it' }])
})
