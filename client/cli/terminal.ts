/* eslint-disable no-control-regex -- what a terminal would take for a command is what this file is about */

/** Milliseconds between two drawings of a bar: more often nobody sees. */
const REDRAW_MS = 80
const BAR = 28

/** Everything that moves the cursor, changes colours or talks back: texts of a plan are anybody's. */
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const
export type Colour = keyof typeof CODES

export interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/** Where a command speaks: colours, and drawing in place, only where somebody looks. */
export class Terminal {
  readonly #out: Stream
  readonly #errors: Stream
  readonly hasColours: boolean
  readonly #hasErrorColours: boolean

  constructor(out: Stream, errors: Stream, env: Readonly<Record<string, string | undefined>>, wantsColours = true) {
    this.#out = out
    this.#errors = errors
    // https://no-color.org: any value but none.
    const isWanted = wantsColours && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
    this.hasColours = isWanted && out.isTTY === true
    this.#hasErrorColours = isWanted && errors.isTTY === true
  }

  /** Whether somebody looks at the output. */
  get isLive(): boolean {
    return this.#out.isTTY === true
  }
  get rows(): number {
    return sized(this.#out.rows, 40)
  }
  get columns(): number {
    return sized(this.#out.columns, 80)
  }

  print(text: string): void {
    this.#out.write(text)
  }
  /** Text that was written by others, as it is; on a terminal without what would command it. */
  printForeign(text: string): void {
    this.#out.write(this.isLive ? text.replace(COMMANDS, '\uFFFD') : text)
  }
  complain(text: string): void {
    this.#errors.write(text)
  }
  paint(colour: Colour, text: string): string {
    return this.hasColours ? painted(colour, text) : text
  }
  paintError(colour: Colour, text: string): string {
    return this.#hasErrorColours ? painted(colour, text) : text
  }

  /** A bar on standard error, if somebody looks at it. */
  progress(label: string, isWanted = true): Progress {
    return new Progress(isWanted && this.#errors.isTTY === true ? this.#errors : null, label)
  }
}

/** A terminal that does not know its size says nothing, or 0. */
const sized = (size: number | undefined, standard: number): number =>
  size === undefined || size === 0 ? standard : size

const painted = (colour: Colour, text: string): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`

/** How far long work has come. */
export class Progress {
  readonly #stream: Stream | null
  readonly #label: string
  #drawnAt = 0

  constructor(stream: Stream | null, label: string) {
    this.#stream = stream
    this.#label = label
  }

  readonly update = (done: number, total: number): void => {
    const now = performance.now()
    if (this.#stream === null || now - this.#drawnAt < REDRAW_MS) return
    this.#drawnAt = now
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const full = Math.round(share * BAR)
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full)
    this.#stream.write(`\r\u001b[K${this.#label} ${bar} ${Math.floor(share * 100)} %`)
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#drawnAt > 0) this.#stream?.write('\r\u001b[K')
  }
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = ''
  for (const one of units) {
    value /= 1024
    unit = one
    if (value < 1024) break
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** `2026-05-04 10:20`, in the time of this machine. */
export function timeText(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
