import { groupToken, hasToken, isToken, ownerToken, statusToken, toggleToken } from '../model/filter.ts'
import { ownerNameOf } from '../model/owner.ts'
import type { Session } from '../model/session.ts'
import { STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { only } from './choices.tsx'
import { StatusShape } from './icons.tsx'
import type { Choice } from './palette.tsx'

/** What one may look for. Each is chosen, or chosen no longer. */
export function filterChoices({ view, plan, names }: Session, query: string): Choice[] {
  const { filter } = view.get()
  const owners = [...new Set(plan.steps.map((step) => ownerNameOf(step, names.get())))]
    .filter((name) => name !== null)
    .sort()
  const of = (token: string, text: string, more: Partial<Choice> = {}): Choice => ({
    key: token.replace(/[^\w-]/g, (char) => `_${char.codePointAt(0)}`),
    text,
    hint: token,
    isChosen: hasToken(filter, token),
    run: () => view.setFilter(toggleToken(filter, token)),
    ...more,
  })
  const all = [
    of(isToken('open'), 'Hide done and cancelled'),
    of(isToken('ready'), 'Ready to start'),
    of(isToken('waiting'), 'Waits for others'),
    ...STATUSES.map((status) =>
      of(statusToken(status), STATUS_NAMES[status], { mark: <StatusShape status={status} label={false} /> }),
    ),
    ...plan.groups.map(({ title }) => of(groupToken(title), `Group: ${title}`)),
    ...(plan.groups.length === 0 ? [] : [of(groupToken(''), 'Without a group')]),
    ...owners.map((name) => of(ownerToken(name), `With ${name}`)),
    ...(owners.length === 0 ? [] : [of(ownerToken(''), 'With nobody')]),
  ]
  return only(all, query)
}
