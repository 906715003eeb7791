/** Levels of brackets; more are not written by anybody who means something by them. */
const MOST_LEVELS = 64
const CONSTANTS: Readonly<Record<string, unknown>> = {
  null: null,
  None: null,
  undefined: null,
  true: true,
  True: true,
  false: false,
  False: false,
}
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' }
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')' }
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y
const WORD = /[A-Za-z_$][\w$]*/y
const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/**
 * The list or object in a string of JSON, or of what Python or JavaScript write for one: single quotes, None and True,
 * names without quotes, a comma at the end, tuples. A string that holds such a string is read once more.
 * @returns undefined for anything else; what is cut off, or followed by more, is guessed at by nobody
 */
export function literalIn(text: string): object | undefined {
  let value: unknown = text.replace(/^\uFEFF/, '')
  // Some models make a string of a string.
  for (let layer = 0; layer < 3 && typeof value === 'string' && /^\s*[[{("']/.test(value); layer++)
    value = parsed(value)
  return typeof value === 'object' && value !== null ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return new Literal(text).read()
  }
}

/** Thrown and caught here alone. */
class NotLiteral extends Error {}

class Literal {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): unknown {
    try {
      const value = this.#value(0)
      this.#blank()
      return this.#at === this.#text.length ? value : undefined
    } catch (error) {
      if (error instanceof NotLiteral) return undefined
      throw error
    }
  }

  #value(level: number): unknown {
    if (level > MOST_LEVELS) throw new NotLiteral()
    this.#blank()
    const next = this.#text[this.#at] ?? ''
    const close = CLOSING[next]
    if (close !== undefined) return this.#list(close, level)
    if (next === '{') return this.#object(level)
    if (next === '"' || next === "'") return this.#string()
    const number = this.#take(NUMBER)
    if (number !== null) return Number(number)
    const word = this.#take(WORD)
    if (word === null || !Object.hasOwn(CONSTANTS, word)) throw new NotLiteral()
    return CONSTANTS[word]
  }

  #list(close: string, level: number): unknown[] {
    this.#at++
    const values: unknown[] = []
    while (!this.#closes(close)) {
      values.push(this.#value(level + 1))
      this.#separates(close)
    }
    return values
  }

  #object(level: number): Record<string, unknown> {
    this.#at++
    const entries: [string, unknown][] = []
    while (!this.#closes('}')) {
      const next = this.#text[this.#at] ?? ''
      const key = next === '"' || next === "'" ? this.#string() : (this.#take(WORD) ?? this.#take(NUMBER))
      this.#blank()
      if (key === null || this.#text[this.#at] !== ':') throw new NotLiteral()
      this.#at++
      entries.push([key, this.#value(level + 1)])
      this.#separates('}')
    }
    return Object.fromEntries(entries)
  }

  /** Goes behind the closing bracket, if it comes next. */
  #closes(close: string): boolean {
    this.#blank()
    if (this.#text[this.#at] !== close) return false
    this.#at++
    return true
  }

  #separates(close: string): void {
    this.#blank()
    const next = this.#text[this.#at]
    if (next === ',') this.#at++
    else if (next !== close) throw new NotLiteral()
  }

  #string(): string {
    const quote = this.#text[this.#at]
    let read = ''
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at] ?? ''
      if (char === quote) {
        this.#at = at + 1
        return read
      }
      if (char !== '\\') {
        read += char
        continue
      }
      const code = /^(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,5}\}|U000[\da-fA-F]{5})/.exec(
        this.#text.slice(at + 1, at + 10),
      )?.[0]
      const next = this.#text[++at] ?? ''
      if (code === undefined) read += ESCAPES[next] ?? (next === '\n' ? '' : next)
      else {
        read += String.fromCodePoint(Number.parseInt(code.replace(/[xuU{}]/g, ''), 16))
        at += code.length - 1
      }
    }
    throw new NotLiteral()
  }

  #blank(): void {
    this.#take(BLANK)
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) return null
    this.#at += found.length
    return found
  }
}
