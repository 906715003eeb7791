import { expect, test } from 'vitest'
import { LocalPlan } from '../../client/sdk/local-plan.ts'
import { importMarkdown } from '../../shared/plan/markdown-import.ts'
import type { MarkdownStep } from '../../shared/plan/markdown-file.ts'
import { readPlanMarkdown } from '../../shared/plan/markdown-read.ts'
import { planMarkdown } from '../../shared/plan/markdown.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import { KEPT_FILES } from './markdown-corpus.ts'

const MARKS = { pending: ' ', in_progress: '*', completed: 'x', cancelled: '-', blocked: '!' }
const ADA: Actor = { id: 'ada', name: 'Ada', kind: 'human' }

/** A step on one line: depth, status, text, (group), @owner, =alias, <dependencies, {details}. */
function line({ depth, status, text, group, owner, alias, dependencies, details }: MarkdownStep): string {
  const waits = dependencies.map((one) => ('step' in one ? String(one.step) : one.name))
  return [
    `${'.'.repeat(depth)}[${MARKS[status]}] ${text}`,
    ...(group === null ? [] : [`(${group})`]),
    ...(owner === null ? [] : [`@${owner}`]),
    ...(alias === null ? [] : [`=${alias}`]),
    ...(waits.length === 0 ? [] : [`<${waits.join()}`]),
    ...(details === '' ? [] : [`{${details.replaceAll('\n', ' / ')}}`]),
  ].join(' ')
}

function imported(markdown: string): string {
  const plan = new LocalPlan({ now: () => 1_700_000_000_000 })
  for (const batch of importMarkdown(readPlanMarkdown(markdown), plan.plan, false).batches) plan.apply(batch, ADA)
  const exported = planMarkdown(plan.plan)
  plan.close()
  return exported
}

test.each(KEPT_FILES)('[12-9] Markdown that people keep: $name', (file) => {
  const read = readPlanMarkdown(file.markdown)
  expect(read.steps.map(line)).toEqual(file.steps)
  expect(read.title).toBe(file.title ?? null)
  const told = read.notes.map((note) => `${note.line}: ${note.text}`)
  expect(told).toEqual((file.told ?? []).map((part) => expect.stringContaining(part) as unknown))
  expect(read.items.leftOut).toBe(file.leftOut ?? 0)
})

test.each(KEPT_FILES)(
  '[12-9] what was imported is exported and imported again byte for byte: $name',
  ({ markdown }) => {
    const exported = imported(markdown)
    expect(imported(exported)).toBe(exported)
  },
)

test('[12-9] what stands in quotations and behind what is never closed counts as left out', () => {
  expect(readPlanMarkdown('- [ ] a\n\n> - [ ] b\n\n```\n- [ ] c\n- [ ] d\n').items).toEqual({ all: 4, leftOut: 3 })
  // What a fence shows is no item, and a bullet that tells of a step is kept with it.
  expect(readPlanMarkdown('- [ ] a\n  - b\n\n```\n- [ ] c\n```\n').items).toEqual({ all: 2, leftOut: 0 })
})

test('[12-9] there are at least twenty files', () => {
  expect(KEPT_FILES.length).toBeGreaterThanOrEqual(20)
})
