import type { Deeds } from './deeds.ts'
import type { StepId } from '../../sdk/index.ts'
import type { Row } from './rows.ts'
import type { Session } from './session.ts'

/** As the help shows them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['↑ ↓ · k j', 'Move between steps'],
  ['← →', 'Collapse, expand; to the parent, to the first below'],
  ['Shift ↑ ↓ · Ctrl A', 'Choose several, all; what is done is done to all of them'],
  ['Home End', 'First and last step'],
  ['Enter', 'New step behind this one; while typing it splits the text, at the start it adds one above'],
  ['Backspace · Delete', 'While typing, at the start and the end: makes one step of two'],
  ['Alt Shift ↑ ↓', 'Move the step, with all below'],
  ['Alt Shift → ←', 'Indent and outdent, with all below; while typing Tab does it too'],
  ['Tab · F6', 'To what is next on the page; to the next part of it'],
  ['Space · Ctrl Enter', 'Tick, or open again'],
  ['F2 · e', 'Edit the text; Enter keeps it, Shift Enter makes a line'],
  ['Esc', 'Leave the text as it was, the filter, the panel'],
  ['Delete', 'Remove, with all below'],
  ['s · g · m · a', 'Status, group, move to…, owner'],
  ['o', 'Into the panel of the step; Esc leads back'],
  ['z · Shift z', 'Zoom into the step, and out again'],
  ['/', 'Filter: words, is:open, is:ready, group:"…", @owner, #number; - in front leaves out'],
  ['Ctrl F', 'Find; Enter and Shift Enter lead to the next and the one before'],
  ['Ctrl K', 'All commands, and any step'],
  ['Ctrl Z · Ctrl Shift Z', 'Undo and redo your own changes'],
  ['Ctrl C · X · V', 'Copy, cut and paste as a Markdown list'],
  ['?', 'These keys'],
]

/** What the keys are called on this machine. */
export const asHere = (keys: string): string =>
  /Mac|iPhone|iPad/.test(navigator.userAgent) ? keys.replaceAll('Ctrl', '⌘').replaceAll('Alt', '⌥') : keys

const PAGE = 15

/** The steps that are shown, in order. */
export const idsOf = (rows: readonly Row[]): StepId[] => rows.flatMap((row) => (row.kind === 'step' ? [row.key] : []))

/** What a key does on a row of the tree. @returns whether it meant something */
export function pressInTree(event: KeyboardEvent, session: Session, deeds: Deeds, isRtl: boolean): boolean {
  const { view, editor, rows } = session
  const { focused } = view.get()
  const at = rows.findIndex(({ key }) => key === focused)
  const row = rows[at]
  const { shiftKey, altKey } = event
  const key = keyOf(event)
  const isCommand = event.ctrlKey || event.metaKey
  const [inward, outward] = isRtl ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']

  const go = (index: number): boolean => {
    const goal = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (goal?.kind !== 'step') return true
    if (shiftKey && key.length > 1) view.chooseTo(goal.key, idsOf(rows))
    else {
      view.chooseNone()
      view.focus(goal.key)
    }
    return true
  }

  if (row?.kind !== 'step') {
    if (rows.length === 0 || !['ArrowDown', 'ArrowUp', 'j', 'k', 'Home', 'End'].includes(key)) return false
    return go(key === 'End' ? rows.length - 1 : 0)
  }
  const id = row.key

  if (altKey && shiftKey) {
    if (key === 'ArrowUp') deeds.moveUp(id)
    else if (key === 'ArrowDown') deeds.moveDown(id)
    else if (key === inward) deeds.indent(id)
    else if (key === outward) deeds.outdent(id)
    else return false
    return true
  }
  if (isCommand && key === 'Enter') {
    deeds.tick(id)
    return true
  }
  if (isCommand && key === 'a' && !shiftKey && !altKey) {
    view.chooseAll(idsOf(rows))
    session.announcer.say(`${rows.length} steps chosen`)
    return true
  }
  if (isCommand || altKey) return false

  switch (key) {
    case 'ArrowDown':
    case 'j':
      return go(at + 1)
    case 'ArrowUp':
    case 'k':
      return go(at - 1)
    case 'Home':
      return go(0)
    case 'End':
      return go(rows.length - 1)
    case 'PageDown':
      return go(at + PAGE)
    case 'PageUp':
      return go(at - PAGE)
    case inward:
      if (row.tally === null) return true
      if (row.isExpanded) return go(at + 1)
      view.collapse(id, false)
      return true
    case outward:
      if (row.tally !== null && row.isExpanded) view.collapse(id, true)
      else if (row.step.parent !== null) view.focus(row.step.parent)
      return true
    case 'Enter':
      editor.draftBehind(id)
      return true
    case 'z':
      session.zoomTo(id)
      return true
    case 'Z':
      session.zoomOut()
      return true
    default:
      return pressOnStep(key, id, session, deeds)
  }
}

/** What a key alone does to a step, on a row as on a card. @returns whether it meant something */
export function pressOnStep(key: string, id: StepId, { view, editor }: Session, deeds: Deeds): boolean {
  switch (key) {
    case ' ':
      deeds.tick(id)
      return true
    case 'F2':
    case 'e':
      editor.editStep(id)
      return true
    case 'Delete':
    case 'Backspace':
      deeds.remove(id)
      return true
    case 's':
      view.open({ kind: 'status', id })
      return true
    case 'g':
      view.open({ kind: 'group', id })
      return true
    case 'm':
      view.open({ kind: 'move', id })
      return true
    case 'a':
      view.open({ kind: 'owner', id })
      return true
    case 'o':
      view.openPanel(id)
      return true
    default:
      return false
  }
}

/**
 * The key as it is called on a Latin keyboard: who writes Cyrillic, Greek or Hebrew has the same keys under other letters.
 */
export function keyOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  // What has a Latin letter on it means that letter, wherever it is.
  if (code === 'Slash' && (key === '.' || key === ',')) return key === '.' ? '/' : '?'
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  return letter !== undefined && /^[^\x00-\x7f]$/u.test(key) ? letter.toLowerCase() : key
}

/** The parts of the page that F6 leads through, and where the focus goes in each. */
const PARTS: readonly (readonly [part: string, first: string])[] = [
  ['.views', '[role=treeitem][tabindex="0"], .field, [data-card][tabindex="0"], .empty button, [role=tree]'],
  ['.side', 'button, select, input, textarea'],
  ['.top-bar', 'a[href], button:not(:disabled), input'],
]

function goRound(offset: 1 | -1): void {
  const { activeElement } = document
  const at = PARTS.findIndex(([part]) => (activeElement?.closest(part) ?? null) !== null)
  const from = at < 0 && offset === -1 ? 0 : at
  for (let turn = 1; turn <= PARTS.length; turn++) {
    const [part, first] = PARTS[(from + offset * turn + 2 * PARTS.length) % PARTS.length] ?? ['', '']
    // Not every part is there.
    const node = document.querySelector<HTMLElement>(`${part} :is(${first})`)
    if (node === null) continue
    node.focus()
    return
  }
}

/** Whether keys go into a field here. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const isFindField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('.find-bar') !== null

/** What a key does wherever the focus is. @returns whether it meant something */
export function pressAnywhere(event: KeyboardEvent, session: Session, focusFilter: () => void): boolean {
  const isCommand = event.ctrlKey || event.metaKey
  const key = keyOf(event).toLowerCase()
  if (session.view.get().dialog !== null) return false
  if (key === 'f6') {
    goRound(event.shiftKey ? -1 : 1)
    return true
  }
  if (isCommand && key === 'k') {
    session.editor.commit()
    session.view.open({ kind: 'commands' })
    return true
  }
  // Pressed once more, it is the browser's own.
  if (isCommand && key === 'f' && !event.shiftKey && !event.altKey && !isFindField(event.target)) {
    session.editor.commit()
    session.view.openFind()
    return true
  }
  if (isTyping(event.target)) return false
  if (isCommand && key === 'z') {
    if (event.shiftKey) session.redo()
    else session.undo()
    return true
  }
  if (isCommand && key === 'y') {
    session.redo()
    return true
  }
  if (isCommand || event.altKey) return false
  if (key === '/') {
    focusFilter()
    return true
  }
  if (event.target === document.body && ['arrowdown', 'arrowup', 'j', 'k'].includes(key)) {
    const { focused } = session.view.get()
    const first = session.rows.find(({ kind }) => kind === 'step')
    session.view.focus(focused ?? (first?.kind === 'step' ? first.key : null))
    return true
  }
  if (key === '?') {
    session.view.open({ kind: 'keys' })
    return true
  }
  return false
}
