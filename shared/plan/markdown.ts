import type { GroupId, StepId } from '../schema/ids.ts'
import type { Dependency, Group, Step } from '../schema/plan.ts'
import { attributes, encodeHeading, encodeLine, encodeLines } from './markdown-text.ts'
import type { Plan } from './plan.ts'

/** Deeper than this is not indented further: a plan nested thousands deep would be mostly blanks. */
const MAX_INDENT = 100
const MARKS = { pending: ' ', in_progress: '*', completed: 'x', cancelled: '-', blocked: '!' } as const
/** Ends the part of a group; a reader sees a rule. */
export const NO_GROUP = '<!-- no group -->'
/** Says that all in the file is meant: a heading without steps is a group, a word in a text nothing but a word. */
export const OURS = '<!-- a plan of Planroom, format 1 -->'

/**
 * A plan as a nested list, for people, from which `readPlanMarkdown` makes the same plan: groups are headings, and below
 * a step stand its details as a quotation, what it depends on, and who has it. A step that others depend on has its number
 * in braces.
 */
export function planMarkdown(plan: Pick<Plan, 'title' | 'steps' | 'groups'>): string {
  const labels = labelsOf(plan)
  const groups = new Map(plan.groups.map((group) => [group.id, group]))
  const waiting = [...plan.groups]
  const parts: string[][] = []
  if (plan.title !== '') parts.push([`# ${encodeHeading(plan.title)}`])
  let section: GroupId | null = null
  let lines: string[] = []
  const end = (): void => {
    if (lines.length > 0) parts.push(lines)
    lines = []
  }
  for (const step of plan.steps) {
    if (step.depth === 0 && step.group !== section) {
      end()
      section = step.group
      const group = section === null ? undefined : groups.get(section)
      // The order of groups is that of their first headings.
      const before = group === undefined ? 0 : waiting.indexOf(group) + 1
      for (const one of waiting.splice(0, before)) parts.push([heading(one)])
      if (group === undefined) parts.push(['---', NO_GROUP])
      else if (parts.at(-1)?.[0] !== heading(group)) parts.push([heading(group)])
    }
    lines.push(
      ...stepLines(step, labels, step.depth === 0 ? null : (groups.get(step.group ?? ('' as GroupId)) ?? null)),
    )
  }
  end()
  for (const group of waiting) parts.push([heading(group)])
  parts.push([OURS])
  return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`
}

const heading = ({ title, testsVerified }: Group): string =>
  `## ${encodeHeading(title)}${attributes([testsVerified ? 'tests-verified' : null])}`

/** The number of each step that somebody depends on. One that has none yet gets one that nobody has. */
function labelsOf({ steps }: Pick<Plan, 'steps'>): Map<StepId, number> {
  const wanted = new Set<StepId>()
  for (const { dependencies } of steps) for (const one of dependencies) if ('step' in one) wanted.add(one.step)
  let next = steps.reduce((highest, { number }) => Math.max(highest, number ?? 0), 0)
  return new Map(steps.filter(({ id }) => wanted.has(id)).map(({ id, number }) => [id, number ?? ++next]))
}

/** @param group the step's own one, where it does not follow from the heading */
function stepLines(step: Step, labels: ReadonlyMap<StepId, number>, group: Group | null): string[] {
  const label = labels.get(step.id)
  const indent = '  '.repeat(Math.min(step.depth, MAX_INDENT))
  const [first = '', ...more] = encodeLines(step.text)
  const lines = [`${indent}- [${MARKS[step.status]}] ${first}`, ...more.map((line) => `${indent}  ${line}`)]
  const last = lines.length - 1
  lines[last] += attributes([
    label === undefined ? null : `#${label}`,
    step.required ? 'required' : null,
    step.depth > MAX_INDENT ? `depth=${step.depth}` : null,
  ])
  if (step.details !== '')
    for (const line of step.details.split('\n')) lines.push(`${indent}  > ${encodeLine(line)}`.trimEnd())
  const fact = (name: string, value: string): number => lines.push(`${indent}  - ${name}: ${value}`)
  if (step.dependencies.length > 0)
    fact('depends on', step.dependencies.map((one) => dependency(one, labels)).join(', '))
  const owner = step.claim?.holder ?? step.startedBy ?? ''
  if (owner !== '') fact('owner', encodeLine(owner))
  if (group !== null) fact('group', encodeLine(group.title))
  if (step.alias !== null) fact('id', encodeLine(step.alias))
  return lines
}

/** A name is written as JSON has it. */
function dependency(dependency_: Dependency, labels: ReadonlyMap<StepId, number>): string {
  if ('name' in dependency_) return JSON.stringify(dependency_.name)
  const label = labels.get(dependency_.step)
  return label === undefined ? 'a removed step' : `#${label}`
}
