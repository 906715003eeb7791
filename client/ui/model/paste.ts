import { encodeLine } from '../../../shared/plan/markdown-text.ts'
import { planMarkdown } from '../../../shared/plan/markdown.ts'
import type { Plan, StepId } from '../../sdk/index.ts'

const ITEM = /^(\s*)(?:[-*+•]|\d{1,6}[.)])\s+\S/
const HEADING = /^#{1,6}\s+\S/
const FENCE = /^\s*(`{3,}|~{3,})/
const TABLE = /^\s*\|.*\|\s*$/

/** Whether a pasted text is several steps, or a list. */
export const isOutline = (text: string): boolean =>
  text.split(/\r?\n/).filter((line) => line.trim() !== '').length > 1 || ITEM.test(text.trim())

/**
 * What was pasted, as the one reader of Markdown takes it: plain lines are items by their indent, and code and tables
 * are details of the step above.
 */
export function asMarkdown(text: string): string {
  const lines = text.replaceAll('\t', '    ').split(/\r?\n/)
  const fenced = fencedLines(lines)
  const isMarkdown = lines.some((line, at) => !fenced[at] && (ITEM.test(line) || HEADING.test(line)))
  const written: string[] = []
  /** Indents of the plain lines above, from the outermost. */
  const indents: number[] = []
  /** The column where what belongs to the item above begins; null before the first. */
  let below: string | null = null
  for (const [at, line] of lines.entries()) {
    const isFence = fenced[at] === true
    if (below !== null && (isFence || TABLE.test(line))) {
      written.push(`${below}> ${encodeLine(line.trimEnd())}`)
    } else if (isMarkdown || isFence || line.trim() === '') {
      if (ITEM.test(line)) below = `${/^\s*/.exec(line)?.[0] ?? ''}  `
      else if (HEADING.test(line)) below = null
      written.push(line)
    } else {
      const indent = /^ */.exec(line)?.[0].length ?? 0
      while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop()
      const lead = '  '.repeat(indents.length)
      written.push(`${lead}- ${encodeLine(line.trim())}`)
      below = `${lead}  `
      indents.push(indent)
    }
  }
  return written.join('\n')
}

/** For each line whether it is code in a fence, or the fence itself. */
function fencedLines(lines: readonly string[]): boolean[] {
  let fence: string | null = null
  return lines.map((line) => {
    const mark = FENCE.exec(line)?.[1]
    const isFence = fence !== null || mark !== undefined
    if (fence === null) fence = mark ?? null
    else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null
    return isFence
  })
}

/** A step and all below it in the form of plan.md. What they wait for outside of it is named. */
export function subtreeMarkdown(plan: Plan, id: StepId): string {
  const steps = plan.subtree(id)
  const [root] = steps
  if (root === undefined) return ''
  const inside = new Set(steps.map((step) => step.id))
  const group = plan.groupOf(root)
  const moved = steps.map((step) => ({
    ...step,
    depth: step.depth - root.depth,
    group: step.id === id ? group : step.group,
    dependencies: step.dependencies.map((one) =>
      'name' in one || inside.has(one.step)
        ? one
        : { name: plan.step(one.step)?.text ?? 'a removed step', rank: one.rank },
    ),
  }))
  const used = new Set(moved.map((step) => step.group))
  const text = planMarkdown({ title: '', steps: moved, groups: plan.groups.filter((one) => used.has(one.id)) })
  return text.replace(/\n+<!--[^\n]*-->\n$/, '')
}
