import type { Plan, Status, Step } from '../../sdk/index.ts'
import { ownerOf } from './owner.ts'

/** What a filter lets through; null for all. */
export type Filter = ((step: Step) => boolean) | null

const STATUS_WORDS: Readonly<Record<string, readonly Status[]>> = {
  open: ['pending', 'in_progress', 'blocked'],
  todo: ['pending'],
  active: ['in_progress'],
  blocked: ['blocked'],
  done: ['completed'],
  cancelled: ['cancelled'],
}

/** Words that must all be found; `is:open`, `@owner` and `#number` stand for more than their letters. */
export function readFilter(text: string, plan: Plan): Filter {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  const tests = words.map((word) => readWord(word, plan))
  return (step) => tests.every((test) => test(step))
}

function readWord(word: string, plan: Plan): (step: Step) => boolean {
  const statuses = word.startsWith('is:') ? STATUS_WORDS[word.slice(3)] : undefined
  if (statuses !== undefined) return ({ status }) => statuses.includes(status)
  if (word.startsWith('@') && word.length > 1) {
    const name = word.slice(1)
    return (step) => ownerOf(step)?.toLocaleLowerCase().includes(name) === true
  }
  const number = /^#(\d+)$/.exec(word)?.[1]
  if (number !== undefined) return (step) => step.number === Number(number)
  const titles = new Map(plan.groups.map(({ id, title }) => [id, title.toLocaleLowerCase()]))
  return (step) => {
    const { text, details, group } = step
    return (
      text.toLocaleLowerCase().includes(word) ||
      details.toLocaleLowerCase().includes(word) ||
      (group !== null && titles.get(group)?.includes(word) === true)
    )
  }
}
