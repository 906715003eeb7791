import { numberName } from '../../plan/numbers.ts'
import { numberIn } from './names.ts'

interface MarkdownTask {
  readonly text: string
  readonly isDone: boolean
  /** The index of its group. */
  readonly group: number
  /** Names, as they are printed; numbers count the tasks of the file from 1. */
  dependsOn: readonly string[]
}

export interface MarkdownTasks {
  /** Titles in the order of their first appearance. */
  readonly groups: readonly string[]
  readonly tasks: readonly MarkdownTask[]
}

const HEADING = /^## (.*\S)$/
const BULLET = '(?:[-*+]|[0-9]{1,9}[.)])[ \\t]+'
const ITEM = new RegExp(`^${BULLET}\\[([ xX])\\][ \\t]+(.+)$`)
const DEPENDS = new RegExp(`^${BULLET}depends:(.*)$`)
const FENCE = /^(`{3,})[^`]*$|^(~{3,}).*$/

/** Reads groups and ticked items line by line. Indentation means nothing; all else is passed over. */
export function readMarkdown(markdown: string): MarkdownTasks {
  const groups: string[] = []
  const indices = new Map<string, number>()
  const tasks: MarkdownTask[] = []
  /** The last task of each group. */
  const last = new Map<number, MarkdownTask>()
  let group = -1
  let fence: string | null = null
  for (const raw of markdown.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const line = raw.trim()
    if (fence !== null) {
      if (line.startsWith(fence) && line === line.charAt(0).repeat(line.length)) fence = null
      continue
    }
    const opened = FENCE.exec(line)
    if (opened !== null) {
      fence = opened[1] ?? opened[2] ?? null
      continue
    }
    const title = HEADING.exec(line)?.[1]?.trim()
    if (title !== undefined) {
      group = indices.get(title) ?? groups.push(title) - 1
      indices.set(title, group)
      continue
    }
    if (group < 0) continue
    const item = ITEM.exec(line)
    if (item !== null) {
      const task = { text: (item[2] ?? '').trim(), isDone: item[1] !== ' ', group, dependsOn: [] }
      tasks.push(task)
      last.set(group, task)
      continue
    }
    const depends = DEPENDS.exec(line)?.[1]
    const task = last.get(group)
    if (depends !== undefined && task !== undefined) task.dependsOn = namesIn(depends)
  }
  return { groups, tasks }
}

function namesIn(list: string): string[] {
  const names = list.split(',').map((name) => name.trim())
  const printed = names.map((name) => {
    const number = numberIn(name)
    return number === null ? name : numberName(number)
  })
  return [...new Set(printed)].filter((name) => name !== '')
}
