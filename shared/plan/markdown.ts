import type { Plan } from './plan.ts'

/** Deeper than this is not indented further: a plan nested thousands deep would be mostly blanks. */
const MAX_INDENT = 100
const MARKS = { pending: ' ', in_progress: '*', completed: 'x', cancelled: '-', blocked: '!' } as const

/** A plan as a nested list, for people. */
export function planMarkdown(plan: Plan): string {
  const title = plan.title === '' ? [] : [`# ${plan.title}`, '']
  const lines = plan.steps.map(({ depth, status, text }) => {
    const indent = '  '.repeat(Math.min(depth, MAX_INDENT))
    return `${indent}- [${MARKS[status]}] ${text.replace(/\s*[\r\n]+\s*/g, ' ')}`
  })
  return `${[...title, ...lines].join('\n')}\n`
}
