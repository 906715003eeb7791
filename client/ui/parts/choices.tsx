import type { StepId } from '../../sdk/index.ts'
import type { Deeds } from '../model/deeds.ts'
import { hasWords } from '../model/fold.ts'
import type { Session } from '../model/session.ts'
import { download, linkTo, pickText } from '../model/share.ts'
import { isFinished, STATUS_NAMES, STATUSES } from '../model/statuses.ts'
import { saveTheme, THEMES } from '../model/theme.ts'
import { copyText } from './copy.ts'
import { StatusShape } from './icons.tsx'
import type { Choice } from './palette.tsx'

/** Steps that a list to choose from has at most. */
const MOST_STEPS = 50

export const only = (choices: readonly Choice[], query: string): Choice[] =>
  choices.filter(({ text }) => hasWords(text, query))

/** What can be done to one step. */
export function stepChoices(session: Session, deeds: Deeds, id: StepId): Choice[] {
  const { view, editor } = session
  const step = session.plan.step(id)
  if (step === undefined) return []
  const one = (key: string, text: string, hint: string, run: () => void): Choice => ({ key, text, hint, run })
  return [
    one('tick', isFinished(step.status) ? 'Open again' : 'Mark as done', 'Space', () => deeds.tick(id)),
    one('edit', 'Edit text', 'F2', () => editor.editStep(id)),
    one('status', 'Set status…', 'S', () => view.open({ kind: 'status', id })),
    one('behind', 'New step behind', 'Enter', () => editor.draftBehind(id)),
    one('under', 'New step below it', '', () =>
      editor.draft({ parent: id, after: session.plan.children(id).at(-1) ?? null }),
    ),
    one('move', 'Move to…', 'M', () => view.open({ kind: 'move', id })),
    one('indent', 'Indent', 'Alt Shift →', () => deeds.indent(id)),
    one('outdent', 'Outdent', 'Alt Shift ←', () => deeds.outdent(id)),
    one('up', 'Move up', 'Alt Shift ↑', () => deeds.moveUp(id)),
    one('down', 'Move down', 'Alt Shift ↓', () => deeds.moveDown(id)),
    one('group', 'Set group…', 'G', () => view.open({ kind: 'group', id })),
    one('owner', 'Owner…', 'A', () => view.open({ kind: 'owner', id })),
    one('dependencies', 'Waits for…', '', () => view.open({ kind: 'dependencies', id })),
    one('zoom', 'Zoom into it', 'Z', () => session.zoomTo(id)),
    one('show', 'Show details', 'O', () => view.openPanel(id)),
    one('copy', 'Copy as Markdown', 'Ctrl C', () => copyText(session, deeds.markdown(id))),
    one('link', 'Copy link to this step', '', () => copyText(session, linkTo(session.thread, id))),
    one('remove', 'Remove', 'Delete', () => deeds.remove(id)),
  ]
}

/** Everything, and every step. */
export function allChoices(session: Session, deeds: Deeds, query: string): Choice[] {
  const { view, editor } = session
  const { focused, collapsed } = view.get()
  const parents = session.plan.steps.filter((_step, at) => session.plan.places.end(at) > at + 1)
  const one = (key: string, text: string, hint: string, run: () => void): Choice => ({
    key: `all-${key}`,
    text,
    hint,
    run,
  })
  const commands: Choice[] = [
    ...(focused === null ? [] : stepChoices(session, deeds, focused)),
    one('new', 'New step at the end', '', () =>
      editor.draft({ parent: null, after: session.plan.children(null).at(-1) ?? null }),
    ),
    one('undo', 'Undo', 'Ctrl Z', () => session.undo()),
    one('redo', 'Redo', 'Ctrl Shift Z', () => session.redo()),
    one('tree', 'Show the outline', '', () => view.patch({ layout: 'tree' })),
    one('board', 'Show the board', '', () => view.patch({ layout: 'board' })),
    one('both', 'Show outline and board', '', () => view.patch({ layout: 'both' })),
    ...(view.get().zoom === null ? [] : [one('zoom-out', 'Zoom out', 'Shift Z', () => session.zoomOut())]),
    one('filter', 'Filter by…', '', () => view.open({ kind: 'filter' })),
    one('activity', 'Show the activity', '', () => view.patch({ side: 'activity' })),
    collapsed.size > 0
      ? one('expand', 'Expand all', '', () => view.patch({ collapsed: new Set() }))
      : one('collapse', 'Collapse all', '', () => view.patch({ collapsed: new Set(parents.map(({ id }) => id)) })),
    one('copy', 'Copy the whole plan as Markdown', '', () => copyText(session, deeds.markdown(null))),
    one('link', 'Copy link to the plan', '', () => copyText(session, linkTo(session.thread, null))),
    one('download', 'Download as Markdown', '', () => download(deeds.markdown(null), `${session.thread}.md`)),
    one('import', 'Import Markdown…', '', () => pickText((text) => editor.pasteSteps(text, null))),
    one('connect', 'Connect an agent…', '', () => view.open({ kind: 'connect' })),
    ...THEMES.map((theme) => one(`theme-${theme}`, `Colours: ${theme}`, '', () => saveTheme(theme))),
    one('settings', 'Name, token, colours…', '', () => view.open({ kind: 'settings' })),
    one('keys', 'All keys', '?', () => view.open({ kind: 'keys' })),
  ]
  const found = only(commands, query)
  if (query.trim() === '') return found
  return [...found, ...stepsToChoose(session, query, (id) => session.goTo(id))]
}

/** @param without steps that make no sense here */
function stepsToChoose(
  { plan }: Session,
  query: string,
  run: (id: StepId) => void,
  without: ReadonlySet<StepId> = new Set(),
  chosen: ReadonlySet<StepId> = new Set(),
): Choice[] {
  const found: Choice[] = []
  // What is chosen comes first, wherever in the plan it stands.
  const inOrder =
    chosen.size === 0 ? plan.steps : plan.steps.toSorted((a, b) => Number(chosen.has(b.id)) - Number(chosen.has(a.id)))
  for (const { id, text, number, status } of inOrder) {
    if (found.length >= MOST_STEPS) break
    if (without.has(id) || !hasWords(`${text} #${number ?? ''}`, query)) continue
    const hint = number === null ? '' : `#${number}`
    const mark = <StatusShape status={status} />
    found.push({ key: `step-${id}`, text, hint, mark, isChosen: chosen.has(id), run: () => run(id) })
  }
  return found
}

/** The steps themselves, and all below them. */
const withSubSteps = ({ plan }: Session, ids: readonly StepId[]): Set<StepId> =>
  new Set(ids.flatMap((one) => plan.subtree(one).map(({ id }) => id)))

export function moveChoices(session: Session, deeds: Deeds, id: StepId, query: string): Choice[] {
  const top: Choice[] = [{ key: 'top', text: 'Top level', run: () => deeds.moveUnder(id, null) }]
  const moved = withSubSteps(session, session.roots(id))
  return [...only(top, query), ...stepsToChoose(session, query, (to) => deeds.moveUnder(id, to), moved)]
}

export function statusChoices(session: Session, deeds: Deeds, id: StepId, query: string): Choice[] {
  const step = session.plan.step(id)
  const all = STATUSES.map((status) => ({
    key: status,
    text: STATUS_NAMES[status],
    mark: <StatusShape status={status} label={false} />,
    isChosen: step?.status === status,
    run: () => deeds.setStatus(id, status),
  }))
  return only(all, query)
}

export function groupChoices(session: Session, deeds: Deeds, id: StepId, query: string): Choice[] {
  const step = session.plan.step(id)
  const title = query.trim()
  const groups = session.plan.groups.map((group) => ({
    key: group.id,
    text: group.title,
    isChosen: step?.group === group.id,
    run: () => deeds.setGroup(id, group.id),
  }))
  const isNew = title !== '' && !session.plan.groups.some((group) => group.title === title)
  return [
    ...only(
      [
        { key: 'none', text: 'No group', isChosen: step?.group === null, run: () => deeds.setGroup(id, null) },
        ...groups,
      ],
      query,
    ),
    ...(isNew ? [{ key: 'new', text: `New group “${title}”`, run: () => deeds.newGroup(id, title) }] : []),
  ]
}

export function dependencyChoices(session: Session, deeds: Deeds, id: StepId, query: string): Choice[] {
  const on = new Set(session.plan.step(id)?.dependencies.flatMap((one) => ('step' in one ? [one.step] : [])))
  return stepsToChoose(session, query, (to) => deeds.toggleDependency(id, to), withSubSteps(session, [id]), on)
}
