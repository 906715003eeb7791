import type { MarkdownDependency } from './markdown-dependencies.ts'
import type { FrontMatter } from './markdown-front-matter.ts'
import type { MarkdownStep } from './markdown-file.ts'

/**
 * What the front matter says of the whole of a file: with a title and a status the file is one task, and one step above
 * all others; else who is assigned has the steps at the top.
 */
export function underFrontMatter(steps: readonly MarkdownStep[], matter: FrontMatter | null): MarkdownStep[] {
  const { title = null, status = null, assignee = null } = matter ?? {}
  if (title === null || status === null)
    return steps.map((step) => (step.depth > 0 ? step : { ...step, owner: step.owner ?? assignee }))
  const plain = { details: '', required: false, group: null, alias: null, dependencies: [] }
  return [
    { line: 1, text: title, depth: 0, status, owner: assignee, ...plain },
    ...steps.map((step) => ({ ...step, depth: step.depth + 1, dependencies: step.dependencies.map(oneFurther) })),
  ]
}

const oneFurther = (dependency: MarkdownDependency): MarkdownDependency =>
  'step' in dependency ? { step: dependency.step + 1 } : dependency
