import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import { longestRising } from '../../plan/changes.ts'
import type { Plan } from '../../plan/plan.ts'
import { oneLine, quoted } from '../lines.ts'
import type { CallersList } from './callers-list.ts'
import type { NamedItems } from './named-items.ts'
import type { TodoItem } from './read-items.ts'
import { numberedPlace } from './show.ts'

/** An id that a step keeps, or null where it only numbers a list: models number theirs anew at every write. */
export const aliasIn = ({ id }: Pick<TodoItem, 'id'>): string | null =>
  id === undefined || numberedPlace(id) !== null ? null : id

/** A text as it shows in a line: contents that were read from one come back like that. */
const shown = (text: string): string => oneLine(text).trim()

/**
 * The step that each item of a list means, living or removed since; null for a new one. Only steps that the caller has
 * seen are meant: by lasting or internal id, else by equal content, last by the beginning of an id and by position.
 *
 * Equal contents are aligned by their neighbours, then the k-th to the k-th. A position counts only for an item whose
 * content is new, and only for a step that no other item means: then the step has a new text.
 */
export function matchItems(
  { items, byId, byBeginning }: NamedItems,
  list: CallersList,
  plan: Plan,
  merges: boolean,
): (StepId | null)[] {
  const matcher = new Matcher(items, list, plan)
  matcher.byName(byId)
  matcher.byAlias()
  matcher.byNeighbours()
  matcher.byContent((text) => text)
  matcher.byContent(shown)
  matcher.byName(byBeginning)
  matcher.byPosition(merges)
  return matcher.matched
}

class Matcher {
  readonly matched: (StepId | null)[]
  readonly #items: readonly TodoItem[]
  readonly #list: CallersList
  readonly #plan: Plan
  readonly #taken = new Set<StepId>()

  constructor(items: readonly TodoItem[], list: CallersList, plan: Plan) {
    this.#items = items
    this.#list = list
    this.#plan = plan
    this.matched = items.map(() => null)
  }

  #take(i: number, id: StepId): void {
    this.#taken.add(id)
    this.matched[i] = id
  }

  /** The items that are still to be matched. */
  *#open(): Generator<[number, TodoItem]> {
    for (const [i, item] of this.#items.entries()) if (this.matched[i] === null) yield [i, item]
  }

  byName(meant: ReadonlyMap<number, StepId>): void {
    for (const [i, id] of meant) if (this.matched[i] === null && !this.#taken.has(id)) this.#take(i, id)
  }

  byAlias(): void {
    if (this.#items.every((item) => aliasIn(item) === null)) return
    const aliases = new Map<string, StepId>()
    for (const { id, alias } of this.#list.seen.values()) if (alias !== null) aliases.set(alias, id)
    for (const [i, item] of this.#open()) {
      const id = aliases.get(aliasIn(item) ?? '')
      if (id !== undefined && !this.#taken.has(id)) this.#take(i, id)
    }
  }

  /** Contents that are there once on either side are fixed points; between two of them equal contents are paired. */
  byNeighbours(): void {
    const seen = [...this.#list.seen.values()]
    const places = new Map<string, number>()
    for (const [at, { text }] of seen.entries()) places.set(text, places.has(text) ? -1 : at)
    const counts = new Map<string, number>()
    for (const { content } of this.#items)
      if (content !== undefined) counts.set(content, (counts.get(content) ?? 0) + 1)
    const fixed: { i: number; at: number }[] = []
    for (const [i, { content }] of this.#open()) {
      const at = content !== undefined && counts.get(content) === 1 ? (places.get(content) ?? -1) : -1
      const id = seen[at]?.id
      if (id === undefined || this.#taken.has(id)) continue
      this.#take(i, id)
      fixed.push({ i, at })
    }
    for (const gap of this.#gaps(fixed, seen.length))
      this.#pairEquals(gap.from, gap.to, seen.slice(gap.fromOld, gap.toOld))
  }

  /** The stretches between fixed points that stand in the same order on both sides. */
  #gaps(fixed: readonly { i: number; at: number }[], size: number) {
    const rising = longestRising(fixed.map(({ at }) => at))
    const kept = fixed.filter((_, k) => rising.has(k))
    const ends = [...kept, { i: this.#items.length, at: size }]
    return ends.map((end, k) => {
      const start = kept[k - 1] ?? { i: -1, at: -1 }
      return { from: start.i + 1, to: end.i, fromOld: start.at + 1, toOld: end.at }
    })
  }

  /** Of equal contents of which some are left out, those of the status that is given come first. */
  #pairEquals(from: number, to: number, olds: readonly Step[]): void {
    const byContent = new Map<string, Step[]>()
    for (const step of olds) if (!this.#taken.has(step.id)) gather(byContent, step.text, step)
    const wanted = new Map<string, number[]>()
    for (let i = from; i < to; i++) {
      const content = this.#items[i]?.content
      if (content !== undefined && this.matched[i] === null && byContent.has(content)) gather(wanted, content, i)
    }
    for (const [content, places] of wanted) {
      const equals = byContent.get(content) ?? []
      const pair = (fits: (step: Step, i: number) => boolean): void => {
        let next = 0
        for (const i of places) {
          if (this.matched[i] !== null) continue
          const at = equals.findIndex((step, k) => k >= next && !this.#taken.has(step.id) && fits(step, i))
          const step = equals[at]
          if (step === undefined) continue
          this.#take(i, step.id)
          next = at + 1
        }
      }
      if (places.length < equals.length) pair(({ status }, i) => status === this.#items[i]?.status)
      pair(() => true)
    }
  }

  /** The k-th of equal contents to the k-th, wherever they stand; also by the text that did not count last time. */
  byContent(form: (text: string) => string): void {
    const wanted = new Map<string, number[]>()
    for (const [i, { content }] of this.#open()) if (content !== undefined) gather(wanted, form(content), i)
    if (wanted.size === 0) return
    const take = (id: StepId, text: string): void => {
      const i = this.#taken.has(id) ? undefined : wanted.get(form(text))?.shift()
      if (i !== undefined) this.#take(i, id)
    }
    for (const { id, text } of this.#list.seen.values()) take(id, text)
    for (const [id, { text }] of this.#list.overruled) if (text !== undefined) take(id, text)
  }

  /**
   * A list that is numbered from 1 or 0 says only its order: what is left between two items that were found is what is
   * left between their steps. Any other number names the place itself. In a part of a list every number does, and a bare
   * one counts as its caller wrote the list. Only a step of the caller's own gets another text by where it stands: of
   * others it leaves out what is no business of its list. But a list that holds all else that was read is that one.
   */
  byPosition(isPart: boolean): void {
    const numbers = this.#items.map(({ id }) => (id === undefined ? null : numberedPlace(id)))
    if (numbers.every((number) => number === null)) return
    const isInOrder = [0, 1].some((first) => numbers.every((number, i) => number === i + first))
    if (!isPart && isInOrder) return this.#byOrder()
    const { places, order, isOwn, isNamed } = this.#list
    for (const [i, { id: name = '', content }] of this.#open()) {
      const id = (isPart && !name.startsWith('t') ? order : places)[(numbers[i] ?? 0) - 1]
      if (id === undefined || !this.#isFree(id)) continue
      if (content === undefined || isNamed(id) || isOwn(id)) this.#take(i, id)
    }
  }

  #isFree(id: StepId): boolean {
    const { seen, folded, isNamed } = this.#list
    const isKnown = (seen.has(id) && !folded.has(id)) || isNamed(id)
    return isKnown && !this.#taken.has(id) && this.#plan.step(id) !== undefined
  }

  #byOrder(): void {
    const { order, isOwn, isNamed } = this.#list
    const at = new Map(order.map((id, place) => [id, place]))
    const fixed = this.matched.flatMap((id, i) => {
      const place = id === null ? undefined : at.get(id)
      return place === undefined ? [] : [{ i, at: place }]
    })
    const isFree = (id: StepId | undefined): boolean => id !== undefined && this.#isFree(id)
    // Where nothing of the list was found again, it may be another list altogether.
    const isTheirs = fixed.length > 0 && order.filter(isFree).length === [...this.#open()].length
    for (const gap of this.#gaps(fixed, order.length)) {
      const left = order
        .slice(gap.fromOld, gap.toOld)
        .flatMap((id) => (id !== undefined && this.#isFree(id) && (isTheirs || isNamed(id) || isOwn(id)) ? [id] : []))
      for (let i = gap.from; i < gap.to; i++) {
        const id = this.matched[i] === null ? left.shift() : undefined
        if (id !== undefined) this.#take(i, id)
      }
    }
  }
}

function gather<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

/** Why an alias would name two steps, or null if none does. */
export function doubledAlias(
  listed: readonly { readonly item: TodoItem; readonly step: Step | null }[],
  removed: ReadonlySet<StepId>,
  plan: Plan,
): string | null {
  const given = new Map<string, TodoItem>()
  const renamed = new Set<StepId>()
  for (const { item, step } of listed) {
    const alias = aliasIn(item)
    if (alias === null) continue
    const other = given.get(alias)
    if (other !== undefined) {
      const both = `${quoted(other.content ?? '')} and ${quoted(item.content ?? '')}`
      return `Error: the id ${quoted(alias)} is given to both ${both}. Leave it out of one of them. Nothing was changed.`
    }
    given.set(alias, item)
    if (step !== null) renamed.add(step.id)
  }
  if (given.size === 0) return null
  for (const { id, alias, text } of plan.steps) {
    const item = alias === null ? undefined : given.get(alias)
    if (item === undefined || renamed.has(id) || removed.has(id)) continue
    const whose = `the id ${quoted(alias ?? '')} of ${quoted(item.content ?? '')} belongs to another step, ${quoted(text)}`
    return `Error: ${whose}. Leave the id out, or read_todos first. Nothing was changed.`
  }
  return null
}
