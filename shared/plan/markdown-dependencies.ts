import { decodeText } from './markdown-text.ts'

/** What a step of a file depends on: another of its steps, by its 0-based place, or a name. */
export type MarkdownDependency = { readonly step: number } | { readonly name: string }

/** A name that spec-kit gives a task. */
const TASK_NAME = /^(T\d{2,5})\b/
const DEPENDS_ON = /\(depends on ([^)]*)\)/i
/** How the plugin Tasks of Obsidian writes an id and what is waited for, with signs or as fields. */
const OBSIDIAN_ID = /\s*(?:🆔\uFE0F?\s*([\w-]+)|[[(]id::\s*([\w-]+)\s*[\])])/u
const OBSIDIAN_AFTER = /\s*(?:⛔\uFE0F?\s*([\w-]+(?:\s*,\s*[\w-]+)*)|[[(]dependsOn::\s*([^\])]*)[\])])/u

/** The name that a task bears in its text. */
export const nameIn = (text: string): string | undefined => TASK_NAME.exec(text)?.[1]

/** Takes what Obsidian keeps in a text out of it; dates and priorities stay. @param tell takes each fact */
export function takeObsidian(text: string, tell: (name: string, value: string) => void): string {
  let rest = text
  for (const [name, pattern] of [
    ['id', OBSIDIAN_ID],
    ['depends on', OBSIDIAN_AFTER],
  ] as const) {
    const match = pattern.exec(rest)
    const value = match?.[1] ?? match?.[2]
    if (match === null || value === undefined) continue
    tell(name, value)
    rest = rest.slice(0, match.index) + rest.slice(match.index + match[0].length)
  }
  return rest
}

export interface Dependent {
  readonly text: string
  /** What its bullet `depends on` says. */
  readonly written: string
  /** Steps by their names, and labels behind #. */
  readonly names: ReadonlyMap<string, number>
  /** How many steps there are. */
  readonly steps: number
  /** Whether words in the text may mean something. */
  readonly readsText: boolean
}

/** @param leftOut takes the words for steps that are not there */
export function dependenciesOf(
  { text, written, names, steps, readsText }: Dependent,
  leftOut: (word: string) => void,
): MarkdownDependency[] {
  const found: MarkdownDependency[] = []
  for (const [quoted] of written.matchAll(/"(?:[^"\\]|\\.)*"|[^,]+/g)) {
    const word = quoted.trim()
    if (word === '') continue
    const step = names.get(word) ?? placeNamed(word, steps)
    if (word.startsWith('"')) found.push({ name: unquoted(word) })
    else if (step !== undefined) found.push({ step })
    else if (/^a removed step$|^#\d+$/.test(word)) leftOut(word)
    else found.push({ name: decodeText(word) })
  }
  // Only what is meant for sure: the words stay in the text.
  const said = readsText ? (DEPENDS_ON.exec(text)?.[1] ?? '') : ''
  for (const [name] of said.matchAll(/T\d{2,5}/g)) {
    const step = names.get(name)
    if (step !== undefined && !found.some((one) => 'step' in one && one.step === step)) found.push({ step })
  }
  return found
}

/** `task-3` is the third step of a file, as plan_load_from_md counts. */
function placeNamed(name: string, steps: number): number | undefined {
  const number = Number(/^task-(\d{1,6})$/.exec(name)?.[1] ?? 0)
  return number >= 1 && number <= steps ? number - 1 : undefined
}

function unquoted(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word
  }
}
