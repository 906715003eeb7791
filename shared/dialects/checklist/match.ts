import type { StepId } from '../../schema/ids.ts'
import type { Step } from '../../schema/plan.ts'
import type { Plan } from '../../plan/plan.ts'
import { oneLine, quoted } from '../lines.ts'
import type { CallersList } from './callers-list.ts'
import type { TodoItem } from './read-items.ts'

const PLACE = /^t(\d+)$/
/** An id that a step keeps, or null where it only names a place. */
export const aliasIn = ({ id }: TodoItem): string | null => (id === undefined || PLACE.test(id) ? null : id)

/** A text as it shows in a line: contents that were read from one come back like that. */
const shown = (text: string): string => oneLine(text).trim()

/**
 * The step that each item of a list means, living or removed since; null for a new one.
 *
 * By given id, else by content, the k-th of equal contents being the k-th. `t<digits>` counts lines, and models number
 * theirs anew when they put one in: where such an id and the content name two steps, the content is believed, and the
 * id only where the content is new. What matches nothing that the caller saw may still be there under that content,
 * because somebody else added it, or renamed a step to it: then it is that step, for nobody wants it twice.
 */
export function matchItems(items: readonly TodoItem[], list: CallersList, plan: Plan): (StepId | null)[] {
  const matcher = new Matcher(items, list, plan)
  matcher.byAgreeingPlace()
  matcher.byAlias()
  matcher.byContent((text) => text)
  matcher.byContent(shown)
  matcher.byPlace()
  matcher.byPresentContent()
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

  #placed({ id }: TodoItem): StepId | undefined {
    const place = PLACE.exec(id ?? '')?.[1]
    const found = place === undefined ? undefined : this.#list.places[Number(place) - 1]
    return found === undefined || this.#taken.has(found) ? undefined : found
  }

  byAgreeingPlace(): void {
    for (const [i, item] of this.#open()) {
      const id = this.#placed(item)
      if (id !== undefined && this.#list.seen.get(id)?.text === item.content) this.#take(i, id)
    }
  }

  byAlias(): void {
    if (this.#items.every((item) => aliasIn(item) === null)) return
    const aliases = new Map<string, StepId>()
    for (const { id, alias } of this.#plan.steps) if (alias !== null && !aliases.has(alias)) aliases.set(alias, id)
    for (const { id, alias } of this.#list.seen.values()) if (alias !== null) aliases.set(alias, id)
    for (const [i, item] of this.#open()) {
      const id = aliases.get(aliasIn(item) ?? '')
      if (id === undefined || this.#taken.has(id)) continue
      // A step that the caller has not seen is only meant where its content is given too.
      if (this.#list.seen.has(id) || this.#plan.step(id)?.text === item.content) this.#take(i, id)
    }
  }

  byContent(form: (text: string) => string): void {
    this.#assign(this.#list.seen.values(), form)
  }

  #assign(candidates: Iterable<Step>, form: (text: string) => string): void {
    const wanted = new Map<string, number[]>()
    for (const [i, { content }] of this.#open()) {
      const equals = wanted.get(form(content))
      if (equals === undefined) wanted.set(form(content), [i])
      else equals.push(i)
    }
    if (wanted.size === 0) return
    for (const { id, text } of candidates) {
      const i = this.#taken.has(id) ? undefined : wanted.get(form(text))?.shift()
      if (i !== undefined) this.#take(i, id)
    }
  }

  byPlace(): void {
    for (const [i, item] of this.#open()) {
      const id = this.#placed(item)
      const isKnown = id !== undefined && (this.#list.isNamed || this.#list.seen.has(id))
      if (isKnown && this.#plan.step(id) !== undefined) this.#take(i, id)
    }
  }

  /** Also for items whose step was removed since: somebody may have added the same again. */
  byPresentContent(): void {
    const before = [...this.matched]
    for (const [i, id] of before.entries()) if (id !== null && this.#plan.step(id) === undefined) this.matched[i] = null
    this.#assign(this.#plan.steps, (text) => text)
    for (const [i, id] of before.entries()) this.matched[i] ??= id
  }
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
      const both = `${quoted(other.content)} and ${quoted(item.content)}`
      return `Error: the id ${quoted(alias)} is given to both ${both}. Leave it out of one of them. Nothing was changed.`
    }
    given.set(alias, item)
    if (step !== null) renamed.add(step.id)
  }
  if (given.size === 0) return null
  for (const { id, alias, text } of plan.steps) {
    const item = alias === null ? undefined : given.get(alias)
    if (item === undefined || renamed.has(id) || removed.has(id)) continue
    const whose = `the id ${quoted(alias ?? '')} of ${quoted(item.content)} belongs to another step, ${quoted(text)}`
    return `Error: ${whose}. Leave the id out, or read_todos first. Nothing was changed.`
  }
  return null
}
