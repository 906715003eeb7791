import type { TextName } from '../parameters.ts'
import { isAbsent } from './absent.ts'
import type { DraftItem, ItemPlace } from './item.ts'
import { isRecord } from './names.ts'
import { shown } from './shown.ts'
import type { Reading } from './reading.ts'

/** Ways to write a place in a list. */
const PLACE = /^(?:t|task-|#)?0*(\d{1,6})$/

/**
 * The items in the order in which they are to stand, each behind the one that it stands below, with their places. What
 * an item names is looked for in the same call first, as an id and then as a position in it; else it is for the tool to
 * look for in the plan.
 */
export function linked(drafts: readonly DraftItem[], text: TextName, reading: Reading): unknown[] {
  const named = namesOf(drafts)
  const below = new Map<DraftItem, DraftItem>()
  const under = new Map<DraftItem, string>()
  const depths = depthsOf(drafts, text, reading)
  const isTree = drafts.some(({ inside, parent }) => inside !== null || parent !== undefined)
  for (const [draft, above] of byDepth(drafts, depths)) below.set(draft, above)
  for (const draft of drafts) {
    const { inside, parent } = draft
    if (inside !== null && parent === undefined && !below.has(draft)) below.set(draft, inside)
    if (parent === undefined) continue
    const name = nameIn(parent, draft, 'parent', reading)
    if (name === null) continue
    const above = named(name)
    if (above === undefined) under.set(draft, name)
    else below.set(draft, above)
  }
  if (isTree) breakCircles(drafts, below, reading)
  const ordered = isTree ? inOrder(drafts, below) : drafts
  const indices = new Map(ordered.map((draft, i) => [draft, i]))
  const usesIds = drafts.some(({ parent, dependencies }) => parent !== undefined || dependencies.length > 0)
  const levels = new Map<DraftItem, number>()
  return ordered.map((draft) => {
    const { at, keys, fields, raw } = draft
    if (fields === null && text !== 'content') return raw
    const waitsFor = draft.dependencies.flatMap((given): (number | string)[] => {
      const name = nameIn(given, draft, 'dependencies', reading)
      if (name === null) return []
      const item = named(name)
      if (item === draft) reading.problems.push(`${at} depends on itself`)
      return [item === undefined ? name : (indices.get(item) ?? name)]
    })
    const above = below.get(draft)
    const place: ItemPlace = {
      at,
      keys: fields === null ? null : keys,
      parent: above === undefined ? null : (indices.get(above) ?? null),
      under: under.get(draft) ?? null,
      waitsFor,
    }
    if (fields === null) return { raw, placed: place }
    if (text !== 'content' && !usesIds && !isAbsent(fields['id'])) reading.ignored('id')
    const level = above === undefined ? 0 : (levels.get(above) ?? 0) + 1
    levels.set(draft, level)
    const depth = isTree ? level : depths.get(draft)
    return {
      ...(text === 'content' ? fields : withoutId(fields)),
      ...(depth === undefined || depth === 0 ? {} : { depth }),
      placed: place,
    }
  })
}

/** Only a checklist keeps ids; elsewhere they are what items name each other by. */
const withoutId = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'id'))

/** The item that a name means: its id, else its position in the call. */
function namesOf(drafts: readonly DraftItem[]): (name: string) => DraftItem | undefined {
  const ids = new Map<string, DraftItem>()
  for (const draft of drafts) {
    const { id } = draft
    if (id !== undefined && !ids.has(keyOf(id))) ids.set(keyOf(id), draft)
  }
  return (name) => {
    const place = /^\d{1,6}$/.test(name) ? Number(name) : 0
    return ids.get(keyOf(name)) ?? drafts[place - 1]
  }
}

/** `1`, `"01"`, `t1` and `#1` are one name. */
const keyOf = (name: string): string => PLACE.exec(name)?.[1] ?? ` ${name}`

function nameIn(value: unknown, { at }: DraftItem, what: string, reading: Reading): string | null {
  const given = isRecord(value) ? value['id'] : value
  if (typeof given === 'number' && Number.isSafeInteger(given)) return String(given)
  if (typeof given === 'string' && given.trim() !== '') return given.trim()
  reading.problems.push(`${at}.${what} is ${shown(value)}, not the id or the position of a step`)
  return null
}

/** Levels that may count from 1 do so if none is 0: the smallest among siblings is the top. */
function depthsOf(drafts: readonly DraftItem[], text: TextName, reading: Reading): Map<DraftItem, unknown> {
  const least = new Map<DraftItem | null, number>()
  for (const { depth, isLevel, inside } of drafts)
    if (isLevel && typeof depth === 'number') least.set(inside, Math.min(depth, least.get(inside) ?? Infinity))
  return new Map(
    drafts.flatMap((draft): [DraftItem, unknown][] => {
      const { depth, isLevel, inside, at } = draft
      if (depth === undefined) return []
      const isDepth = Number.isSafeInteger(depth) && (depth as number) >= 0
      // The tool set that has a depth says so itself.
      if (!isDepth && (text !== 'text' || isLevel))
        reading.problems.push(`${at}.depth is ${shown(depth)}, not a whole number from 0`)
      return [[draft, isDepth && isLevel ? (depth as number) - (least.get(inside) ?? 0) : depth]]
    }),
  )
}

/** Of items side by side, each below the nearest earlier one with a smaller depth. */
function byDepth(drafts: readonly DraftItem[], depths: ReadonlyMap<DraftItem, unknown>): Map<DraftItem, DraftItem> {
  const found = new Map<DraftItem, DraftItem>()
  const paths = new Map<DraftItem | null, { draft: DraftItem; depth: number }[]>()
  for (const draft of drafts) {
    if (draft.fields === null) continue
    const given = depths.get(draft)
    const depth = typeof given === 'number' ? given : 0
    const path = paths.get(draft.inside) ?? []
    while ((path.at(-1)?.depth ?? -Infinity) >= depth) path.pop()
    const above = path.at(-1)
    if (above !== undefined) found.set(draft, above.draft)
    path.push({ draft, depth })
    paths.set(draft.inside, path)
  }
  return found
}

function breakCircles(drafts: readonly DraftItem[], below: Map<DraftItem, DraftItem>, reading: Reading): void {
  const isSafe = new Set<DraftItem>()
  for (const draft of drafts) {
    const path = new Set<DraftItem>()
    let at: DraftItem | undefined = draft
    while (at !== undefined && !isSafe.has(at) && !path.has(at)) {
      path.add(at)
      at = below.get(at)
    }
    if (at !== undefined && path.has(at)) {
      reading.problems.push(`${at.at} stands below itself`)
      below.delete(at)
    }
    for (const one of path) isSafe.add(one)
  }
}

/** In the order in which they came, but each behind what it stands below. */
function inOrder(drafts: readonly DraftItem[], below: ReadonlyMap<DraftItem, DraftItem>): DraftItem[] {
  const children = new Map<DraftItem | undefined, DraftItem[]>()
  for (const draft of drafts) {
    const above = below.get(draft)
    const siblings = children.get(above)
    if (siblings === undefined) children.set(above, [draft])
    else siblings.push(draft)
  }
  const ordered: DraftItem[] = []
  const stack = (children.get(undefined) ?? []).toReversed()
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    ordered.push(at)
    stack.push(...(children.get(at) ?? []).toReversed())
  }
  return ordered
}
