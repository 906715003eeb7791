import type { Plan } from '../../plan/plan.ts'
import type { StepId } from '../../schema/ids.ts'
import { foldedNote, isFolded } from '../fit.ts'
import { MARKS, oneLine } from '../lines.ts'
import { isRemoved } from './missing.ts'
import { dependencyName, taskName } from '../../plan/task-names.ts'
import { isTerminal, taskGroups } from './shape.ts'

/** The block for a prompt: nothing, unless there is something left to do. */
export function block(plan: Plan, version: number, folded?: ReadonlySet<StepId>): string {
  if (plan.steps.every(isTerminal)) return ''
  const lines = [
    '## Tool TODOs',
    `Version ${version}. Changed with plan_todo_write, plan_todo_edit and plan_todo_cross_off.`,
  ]
  for (const { title, tasks: all } of taskGroups(plan)) {
    const tasks = all.filter((task) => !isFolded(task, folded))
    if (tasks.length === 0) continue
    lines.push('', `### ${oneLine(title)}`)
    for (const task of tasks) {
      const mark = task.status === 'blocked' ? MARKS.pending : MARKS[task.status]
      const awaited = task.dependencies
        .map((one) => `${oneLine(dependencyName(plan, one))}${isRemoved(plan, one) ? ' (missing)' : ''}`)
        .join(', ')
      const depends = awaited === '' ? '' : `  (depends: ${awaited})`
      lines.push(`- [${mark}] ${oneLine(task.text)}${depends}  (${taskName(task)})`)
    }
  }
  const note = foldedNote(plan, folded)
  return [...lines, ...(note.length > 0 ? ['', ...note] : [])].join('\n')
}
