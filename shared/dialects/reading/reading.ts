import { cut, oneLine, some } from '../lines.ts'

/** Characters of the names of fields that were ignored; what is decoration is not worth more of a model's attention. */
const MOST_IGNORED = 36
/** Pairs that were read as each other; more say the same. */
const MOST_PAIRS = 5

/** How the arguments of one call were read: what is told of it, a note for each kind, and what is wrong. */
export class Reading {
  /** What cannot be read, each with where it stands. */
  readonly problems: string[] = []
  readonly #kinds = new Map<string, { readonly first: string; count: number }>()
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, string>()
  readonly #ignored = new Set<string>()

  /** Of several notes of a kind the first is told, and the others are counted. */
  tell(kind: string, note: string): void {
    const known = this.#kinds.get(kind)
    if (known === undefined) this.#kinds.set(kind, { first: note, count: 1 })
    else known.count++
  }

  /** A field that came under another name. */
  named(sent: string, name: string): void {
    this.#names.set(short(sent), name)
  }

  /** A word for a value. @param sent as it is to be shown */
  valued(sent: string, value: string): void {
    this.#values.set(sent, value)
  }

  /** A field that means nothing here. */
  ignored(name: string): void {
    this.#ignored.add(short(name))
  }

  get notes(): readonly string[] {
    const told = [...this.#kinds.values()].map(({ first, count }) =>
      count === 1 ? first : `${first}; and ${count - 1} more`,
    )
    if (this.#names.size > 0) told.push(pairs(this.#names))
    if (this.#values.size > 0) told.push(pairs(this.#values))
    if (this.#ignored.size > 0) told.push(`ignored: ${fitting([...this.#ignored])}`)
    return told
  }
}

const short = (name: string): string => cut(oneLine(name), 40)

/** `"done" was read as completed, "todo" as pending` */
function pairs(read: ReadonlyMap<string, string>): string {
  const told = [...read].map(([sent, name], i) => `${sent} ${i === 0 ? 'was read as' : 'as'} ${name}`)
  return some(told, MOST_PAIRS)
}

/** As many names as there is room for; the rest is counted. */
function fitting(names: readonly string[]): string {
  let shown = names.length
  while (shown > 1 && some(names, shown).length > MOST_IGNORED) shown--
  return cut(some(names, shown), MOST_IGNORED)
}
