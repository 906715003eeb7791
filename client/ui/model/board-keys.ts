import type { Status, Step, StepId } from '../../sdk/index.ts'
import type { Deeds } from './deeds.ts'
import { keyOf, pressOnStep } from './keys.ts'
import type { Session } from './session.ts'
import { STATUSES } from './statuses.ts'

export type Columns = ReadonlyMap<Status, readonly Step[]>

/** What a key does on a card. @returns whether it meant something */
export function pressOnBoard(
  event: KeyboardEvent,
  session: Session,
  deeds: Deeds,
  columns: Columns,
  id: StepId,
  isRtl: boolean,
): boolean {
  const { view } = session
  const status = session.plan.step(id)?.status
  if (status === undefined) return false
  const column = columns.get(status) ?? []
  const at = column.findIndex((step) => step.id === id)
  const key = keyOf(event)
  const isCommand = event.ctrlKey || event.metaKey
  const aside = key === (isRtl ? 'ArrowLeft' : 'ArrowRight') ? 1 : key === (isRtl ? 'ArrowRight' : 'ArrowLeft') ? -1 : 0

  const go = (steps: readonly Step[], index: number): boolean => {
    const goal = steps[Math.max(0, Math.min(steps.length - 1, index))]
    if (goal !== undefined) view.focus(goal.id)
    return true
  }
  /** To the next column that has a card. */
  const goAside = (offset: number): boolean => {
    for (let to = STATUSES.indexOf(status) + offset; to in STATUSES; to += offset) {
      const steps = columns.get(STATUSES[to] ?? status) ?? []
      if (steps.length > 0) return go(steps, at)
    }
    return true
  }

  if (event.altKey && event.shiftKey && aside !== 0) {
    const next = STATUSES[STATUSES.indexOf(status) + aside]
    if (next !== undefined) deeds.setStatus(id, next)
    return true
  }
  if (isCommand && key === 'Enter') {
    deeds.tick(id)
    return true
  }
  if (isCommand || event.altKey) return false
  if (aside !== 0) return goAside(aside)
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return go(column, at + 1)
    case 'ArrowUp':
    case 'k':
      return go(column, at - 1)
    case 'Home':
      return go(column, 0)
    case 'End':
      return go(column, column.length - 1)
    case 'Enter':
      view.openPanel(id)
      return true
    default:
      return pressOnStep(key, id, session, deeds)
  }
}
