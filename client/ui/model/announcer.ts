import { plain } from './bidi.ts'
import { Store } from './store.ts'

/** Milliseconds that what others do is gathered before it is read out: otherwise nothing else could be heard. */
const OTHERS_MS = 4_000
const OWN_MS = 60

/** What a screen reader says, politely: one's own deeds at once, those of others a few at a time. */
export class Announcer extends Store<string> {
  readonly #own: string[] = []
  readonly #others = new Map<string, number>()
  #ownTimer: ReturnType<typeof setTimeout> | undefined
  #othersTimer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super('')
  }

  say(text: string): void {
    this.#own.push(text)
    this.#ownTimer ??= setTimeout(() => {
      this.#ownTimer = undefined
      this.#tell(this.#own.splice(0).join('. '))
    }, OWN_MS)
  }

  others(who: string, changes: number): void {
    this.#others.set(who, (this.#others.get(who) ?? 0) + changes)
    this.#othersTimer ??= setTimeout(() => {
      this.#othersTimer = undefined
      const parts = [...this.#others].map(([name, count]) => `${name}: ${count} ${count === 1 ? 'change' : 'changes'}`)
      this.#others.clear()
      this.#tell(parts.join('. '))
    }, OTHERS_MS)
  }

  close(): void {
    clearTimeout(this.#ownTimer)
    clearTimeout(this.#othersTimer)
  }

  #tell(text: string): void {
    // The same text twice is read twice only if it is not the same.
    const said = plain(text)
    this.set(said === this.get() ? `${said}\u00a0` : said)
  }
}
