import type { TextName } from '../parameters.ts'
import { cut, quoted } from '../lines.ts'
import { isAbsent } from './absent.ts'
import type { DraftItem } from './item.ts'
import { linked } from './links.ts'
import { itemsIn, markedItem } from './lists.ts'
import { isRecord, kindOf, spelling, textField } from './names.ts'
import { literalIn } from './literal.ts'
import type { Reading } from './reading.ts'
import { shown } from './shown.ts'
import { stateIn } from './state.ts'
import { textIn } from './text.ts'

/** Items inside of items; more levels are not sent by anybody who means something by them. */
const MOST_LEVELS = 64

/** What read_todos shows besides, and so may come back. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(['updatedby', 'updatedat'])

/** The name of what says more of a step, beside its text. */
const detailsName = (text: TextName): string => (text === 'description' ? 'details' : 'description')

/**
 * The items of a list of steps in the words of the tool that reads them, whatever client they come from: `text` and what
 * goes with it, `depth`, and `placed`, an `ItemPlace`. Items inside of others follow them. What cannot be read stays as
 * it came, for validation to refuse.
 */
export function readItems(list: readonly unknown[], path: string, text: TextName, reading: Reading): unknown[] {
  const drafts: DraftItem[] = []
  gather(list, path, null, 0)
  return linked(drafts, text, reading)

  function gather(items: readonly unknown[], where: string, inside: DraftItem | null, level: number): void {
    for (const [i, given] of items.entries()) {
      const at = `${where}[${i}]`
      const draft = draftOf(given, at, inside, text, reading)
      drafts.push(draft)
      if (draft.fields === null) continue
      const [key, children] = childrenIn(draft.raw, at, text, reading)
      if (children === undefined) continue
      if (level < MOST_LEVELS) gather(children, `${at}.${key}`, draft, level + 1)
      else reading.problems.push(`${cut(at, 80)} is more than ${MOST_LEVELS} levels deep`)
    }
  }
}

function draftOf(given: unknown, at: string, inside: DraftItem | null, text: TextName, reading: Reading): DraftItem {
  const value = objectIn(given, at, text, reading)
  const none = { at, inside, raw: value, id: undefined, depth: undefined, isLevel: false, parent: undefined }
  if (!isRecord(value)) return { ...none, keys: [], fields: null, dependencies: [] }
  const fields: Record<string, unknown> = {}
  const keys = Object.keys(value)
  const textKey = textField(value, text)
  if (textKey !== undefined) {
    fields[text] = textIn(value[textKey], `${at}.${text}`, reading)
    if (textKey !== text) reading.named(textKey, text)
  }
  const found: { depth?: unknown; isLevel?: boolean; parent?: unknown; dependencies?: readonly unknown[] } = {}
  for (const key of keys) {
    const sent = value[key]
    if (key === textKey || sent === undefined || sent === null) continue
    const kind = spelling(key) === 'description' ? 'details' : kindOf(key)
    if (kind === 'details') fields[detailsName(text)] = textIn(sent, `${at}.${key}`, reading)
    else if (kind === 'required') fields['required'] = sent
    else if (kind === 'id') fields['id'] = typeof sent === 'number' ? String(sent) : sent
    else if (kind === 'depth') {
      if (isAbsent(sent)) continue
      if (found.depth === undefined || key === 'depth')
        Object.assign(found, { depth: numberIn(sent, `${at}.${key}`, reading), isLevel: key !== 'depth' })
      if (key !== 'depth') reading.named(key, 'depth')
    } else if (kind === 'parent') found.parent = isAbsent(sent) ? found.parent : sent
    else if (kind === 'dependencies') found.dependencies = [...(found.dependencies ?? []), ...namesIn(sent)]
    else if (kind === undefined && !isAbsent(sent) && !SHOWN_ONLY.has(spelling(key))) reading.ignored(key)
  }
  const status = stateIn(value, at, reading)
  if (status !== undefined) fields['status'] = status
  const { id } = fields
  return {
    ...none,
    depth: found.depth,
    isLevel: found.isLevel ?? false,
    parent: found.parent,
    dependencies: found.dependencies ?? [],
    keys,
    fields,
    id: typeof id === 'string' && !isAbsent(id) ? id.trim() : undefined,
  }
}

/** An object, a literal of one, or a line with a mark. */
function objectIn(given: unknown, at: string, text: TextName, reading: Reading): unknown {
  if (typeof given !== 'string') return given
  const literal = literalIn(given)
  if (isRecord(literal)) {
    reading.tell('object', `${at}: a string was read as an object`)
    return literal
  }
  const marked = markedItem(given, text, at, reading)
  if (marked === null) return given
  reading.tell('marked', `${at}: the mark before the text was read as its status`)
  return marked
}

/** The items that stand in an item, and the name of the field. */
function childrenIn(
  item: unknown,
  at: string,
  text: TextName,
  reading: Reading,
): readonly [key: string, children: readonly unknown[] | undefined] {
  if (!isRecord(item)) return ['', undefined]
  for (const [key, value] of Object.entries(item)) {
    if (kindOf(key) !== 'children' || isAbsent(value) || key === textField(item, text)) continue
    const list = typeof value === 'string' ? itemsIn(value, text, `${at}.${key}`, reading) : value
    if (Array.isArray(list)) return [key, list]
    if (isRecord(list)) return [key, [list]]
    reading.problems.push(`${at}.${key} is ${shown(value)}, not a list of steps`)
  }
  return ['', undefined]
}

function numberIn(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value !== 'string' || !/^\s*\d{1,4}\s*$/.test(value)) return value
  reading.tell('number', `${path}: ${quoted(value)} was read as ${Number(value)}`)
  return Number(value)
}

/** The names in a list of dependencies, which may be one, or several in a string. */
function namesIn(value: unknown): unknown[] {
  const list = typeof value === 'string' ? (literalIn(value) ?? value.split(',').map((name) => name.trim())) : value
  const names: readonly unknown[] = Array.isArray(list) ? list : [list]
  return names.filter((name) => !isAbsent(name))
}
