import { cutToWidth } from './width.ts'
import type { Terminal } from './terminal.ts'

/** What is shown: a line above all, what can be scrolled, and what stands below it. */
export interface Shown {
  readonly heading: string
  readonly lines: readonly string[]
  readonly below: readonly string[]
}

/** A terminal that is drawn anew in place, each line no wider than it is, and scrolled by keys. */
export class Screen {
  readonly #terminal: Terminal
  readonly #look: () => Shown
  readonly #onEnd: () => void
  #top = 0

  /** @param look what there is to see now */
  constructor(terminal: Terminal, look: () => Shown, onEnd: () => void) {
    this.#terminal = terminal
    this.#look = look
    this.#onEnd = onEnd
    terminal.print('\u001b[2J')
  }

  get #room(): number {
    return Math.max(3, this.#terminal.rows - this.#look().below.length - 5)
  }

  draw(): void {
    const { heading, lines, below } = this.#look()
    const room = this.#room
    this.#top = Math.max(0, Math.min(this.#top, lines.length - room))
    const shown = lines.slice(this.#top, this.#top + room)
    const [above, under] = [this.#top, lines.length - this.#top - shown.length]
    const more = above + under === 0 ? '' : `↑ ${above}  ↓ ${under} lines more: arrows, PgUp, PgDn, Home, End; q ends`
    const text = [heading, '', ...shown, this.#terminal.paint('dim', more), ...below]
    // Home, each line cleared behind its end, then all below: nothing flickers.
    const cut = text.map((line) => `${cutToWidth(line, this.#terminal.columns)}\u001b[K`)
    this.#terminal.print(`\u001b[H${cut.join('\n')}\n\u001b[J`)
  }

  /** What was typed; in raw mode Ctrl-C is a key as well. */
  type(keys: string): void {
    const page = this.#room - 1
    // eslint-disable-next-line no-control-regex -- that is how a terminal sends keys
    for (const [key] of keys.matchAll(/\u001b\[[0-9;]*[~A-Z]|\u001bO[A-Z]|[^]/g)) {
      if (key === '\u0003' || key === 'q') return this.#onEnd()
      this.#top += STEPS.get(key) ?? 0
      this.#top += (PAGES.get(key) ?? 0) * page
      if (HOME.has(key)) this.#top = 0
      if (END.has(key)) this.#top = Number.MAX_SAFE_INTEGER
      this.#top = Math.max(0, this.#top)
    }
    this.draw()
  }
}

const STEPS = new Map([
  ['\u001b[A', -1],
  ['\u001bOA', -1],
  ['k', -1],
  ['\u001b[B', 1],
  ['\u001bOB', 1],
  ['j', 1],
])
const PAGES = new Map([
  ['\u001b[5~', -1],
  ['\u001b[6~', 1],
  [' ', 1],
])
const HOME = new Set(['\u001b[H', '\u001bOH', '\u001b[1~', 'g'])
const END = new Set(['\u001b[F', '\u001bOF', '\u001b[4~', 'G'])
