/** What a caller wrote to name a step, by its form alone. */
export type Form =
  /** `3`, `"3"`, `#3`, `t3`: the place in the pre-order. */
  | { readonly kind: 'place'; readonly place: number }
  /** `1.2`, or `…3.1` as outlines print it below eight levels. */
  | { readonly kind: 'dotted'; readonly path: readonly number[]; readonly isCut: boolean }
  /** `task-3`: the number that the server gave. */
  | { readonly kind: 'number'; readonly name: string }
  /** An internal id, the beginning of one, or a lasting id that a caller gave. */
  | { readonly kind: 'id'; readonly id: string }

const PLACE = /^(?:#|t)?\s?(-?\d{1,15})(?:\.0+)?$/i
const DOTTED = /^#?(…|\.\.\.)?(\d{1,6}(?:\.\d{1,6})+)$/
const NUMBER = /^task[-_ ]?[1-9]\d{0,6}$/i

/** Reads the form of a reference; a bare number is a place. */
export function formOf(given: string | number): Form {
  const text = String(given).trim()
  const place = PLACE.exec(text)?.[1]
  if (place !== undefined) return { kind: 'place', place: Number(place) }
  const [, cut, path] = DOTTED.exec(text) ?? []
  if (path !== undefined) return { kind: 'dotted', path: path.split('.').map(Number), isCut: cut !== undefined }
  return NUMBER.test(text) ? { kind: 'number', name: text } : { kind: 'id', id: text }
}
