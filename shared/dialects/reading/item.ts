import { cut, oneLine, some } from '../lines.ts'
import { isRecord } from './names.ts'

/** Names of fields that are told of one item. */
const MOST_TOLD = 8

/** An item as it came, before its place among the others is known. */
export interface DraftItem {
  /** Where it stands in the arguments: `todos[3].children[0]`. */
  readonly at: string
  /** The names of its fields, as they came. */
  readonly keys: readonly string[]
  /** In the words of the tool; what is no object stays as it came. */
  readonly fields: Record<string, unknown> | null
  readonly raw: unknown
  /** The item that it stood in. */
  readonly inside: DraftItem | null
  readonly id: string | undefined
  /** A number, or something that is none. */
  readonly depth: unknown
  /** From a name that may count from 1. */
  readonly isLevel: boolean
  readonly parent: unknown
  readonly dependencies: readonly unknown[]
}

/** Where an item belongs, and where it came from. */
export interface ItemPlace {
  readonly at: string
  /** The names of its fields, as they came; null for what is no object. */
  readonly keys: readonly string[] | null
  /** The item that it stands below, by its index; null where it says none. */
  readonly parent: number | null
  /** The step of the plan that it stands below, as its caller named it. */
  readonly under: string | null
  /** What it waits for: items by their index, steps of the plan by their names. */
  readonly waitsFor: readonly (number | string)[]
}

/** The place that `readItems` gave an item. */
export function placeOf(item: unknown): ItemPlace | undefined {
  // Nothing else writes this field: what is sent under its name is ignored before.
  return isRecord(item) ? (item['placed'] as ItemPlace | undefined) : undefined
}

/** What fields an item has, for whoever hears that it lacks one. */
export const hasFields = (keys: ItemPlace['keys']): string =>
  keys === null || keys.length === 0
    ? 'is empty'
    : `has ${some(
        keys.map((key) => cut(oneLine(key), 40)),
        MOST_TOLD,
      )}`
