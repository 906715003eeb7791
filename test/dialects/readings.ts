import { expect } from 'vitest'
import type { Todo } from '../../shared/dialects/checklist/show.ts'
import type { Status } from '../../shared/schema/plan.ts'
import type { PlanDriver, Standing } from '../helpers/plan-driver.ts'
import { summaryOf } from '../helpers/plan-driver.ts'

/** What each dialect shows of a plan. */
export interface Readings {
  readonly outline: readonly string[]
  readonly tasks: {
    readonly groups: readonly {
      readonly title: string
      readonly items: readonly { id: string; description: string; status: string; depends_on: readonly string[] }[]
      readonly tests_verified: boolean
    }[]
    readonly nags: readonly string[]
  }
  readonly checklist: readonly Todo[]
}

/** All dialects read by one who never changes anything. */
export async function readings(plan: PlanDriver, who = 'onlooker'): Promise<Readings> {
  const lines = summaryOf(await plan.call(who, 'list_todos'))
  const { text } = await plan.call(who, 'plan_todo_read', { action: { type: 'List' } })
  const { groups, nags } = JSON.parse(text) as {
    groups: Readings['tasks']['groups']
    nags: readonly { message: string }[]
  }
  const todos = await plan.call(who, 'read_todos')
  return {
    outline: lines === '(no todo steps yet)' ? [] : lines.split('\n'),
    tasks: { groups, nags: nags.map(({ message }) => message) },
    checklist: JSON.parse(todos.text) as Todo[],
  }
}

/** The table of section 0, a column each: marks of outline, statuses of tasks and of checklist. */
export const STATUS_TABLE: Readonly<Record<Status, readonly [mark: string, task: string]>> = {
  pending: [' ', 'Pending'],
  in_progress: ['*', 'InProgress'],
  completed: ['x', 'Completed'],
  cancelled: ['-', 'Cancelled'],
  blocked: ['!', 'Pending'],
}

/** What the dialects must show of a plan that stands so, put down a second time from the table of section 0. */
export function expectConsistent({ steps, groups }: Standing, shown: Readings): void {
  const counters: number[] = []
  const lines = steps.map(({ depth, status, text }, i) => {
    counters.length = Math.min(counters.length, depth + 1)
    counters[depth] = (counters[depth] ?? 0) + 1
    return `#${i + 1}  ${counters.join('.')}  [${STATUS_TABLE[status][0]}] ${text}`
  })
  expect(shown.outline).toEqual(lines)

  expect(shown.checklist).toEqual(
    steps.map(({ text, status, details, alias, required, updatedBy, updatedAt }, i) => ({
      content: text,
      status,
      ...(details === '' ? {} : { description: details }),
      id: alias ?? `t${i + 1}`,
      required,
      ...(updatedBy === '' ? {} : { updated_by: updatedBy }),
      updated_at: new Date(updatedAt).toISOString(),
    })),
  )

  const byId = new Map(steps.map((step) => [step.id, step]))
  const groupOf = (id: string | null): string | null => {
    const step = steps.find((one) => one.id === id)
    return step === undefined ? null : (step.group ?? groupOf(step.parent))
  }
  const loose = groups.find(({ title }) => title === 'Ungrouped')?.id ?? null
  const members = (group: string | null) =>
    steps
      .filter(({ id }) => (groupOf(id) ?? loose) === group)
      .map(({ number, text, status, dependencies }) => ({
        id: `task-${number}`,
        description: text,
        status: STATUS_TABLE[status][1],
        depends_on: dependencies.map((one) => {
          const target = 'step' in one ? byId.get(one.step) : undefined
          if ('name' in one) return one.name
          // What was removed keeps its name, which is nobody else's.
          return target === undefined ? (expect.stringMatching(/^task-\d+$/) as unknown) : `task-${target.number}`
        }),
      }))
  const expected = groups.map(({ id, title, testsVerified }) => {
    return { title, items: members(id), tests_verified: testsVerified }
  })
  const rest = loose === null ? members(null) : []
  if (rest.length > 0) expected.push({ title: 'Ungrouped', items: rest, tests_verified: false })
  expect(shown.tasks.groups).toEqual(expected)

  const numbers = steps.map(({ number }) => number)
  expect(numbers).not.toContain(null)
  expect(new Set(numbers).size).toBe(steps.length)
  const nags = [
    ...expected
      .filter(({ title, items, tests_verified: verified }) => {
        const isOver = items.every(({ status }) => status === 'Completed' || status === 'Cancelled')
        return title !== 'Ungrouped' && !verified && items.length > 0 && isOver
      })
      .map(
        ({ title }) =>
          `Group '${title}' is complete but tests have not been confirmed. Use VerifyGroup to confirm tests passed.`,
      ),
    ...expected
      .flatMap(({ items }) => items)
      .filter(({ id }) => steps.some(({ number, status }) => `task-${number}` === id && status === 'blocked'))
      .map(({ id }) => `Task '${id}' is marked blocked.`),
  ]
  // Behind them stands what others did.
  expect(shown.tasks.nags.slice(0, nags.length)).toEqual(nags)
}
