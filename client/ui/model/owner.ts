import type { Step } from '../../sdk/index.ts'
import { plain } from './bidi.ts'

/** Who works on a step: whoever holds it, else who started it while it is under way. */
export function ownerOf({ claim, startedBy, status }: Pick<Step, 'claim' | 'startedBy' | 'status'>): string | null {
  if (claim !== null) return claim.holder
  return status === 'in_progress' || status === 'blocked' ? startedBy || null : null
}

/** What they are called. */
export function ownerNameOf(step: Step, names: ReadonlyMap<string, string>): string | null {
  const id = ownerOf(step)
  return id === null ? null : (names.get(id) ?? id)
}

/** Degrees on the colour wheel: the same for a name wherever it is shown. */
export function hueOf(name: string): number {
  let hash = 2166136261
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619)
  return (((hash >>> 0) % 24) * 15 + 8) % 360
}

export function initials(name: string): string {
  const words = plain(name)
    .split(/[\s_.-]+/)
    .filter(Boolean)
  const [first = '?', second] = words
  const letters = second === undefined ? lettersOf(first).slice(0, 2) : [lettersOf(first)[0], lettersOf(second)[0]]
  return letters.join('').toLocaleUpperCase()
}

const segmenter = new Intl.Segmenter()
const lettersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment)
