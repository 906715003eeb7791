import type { Terminal } from './terminal.ts'

/** What the command line ends with. Scripts may rely on these. */
export const EXIT = {
  ok: 0,
  /** Something went wrong here, on the disk or in the server; or a check found something wrong. */
  failed: 1,
  /** The command line was not understood. Nothing was tried. */
  usage: 2,
  /** The plan, or the data directory, does not take this as it stands. Nothing was changed. */
  refused: 3,
  /** No server answers. */
  unreachable: 4,
  /** There is no token, it is not good, or it does not reach so far. */
  notAllowed: 5,
  /** There is no such thread, or it was deleted; or no such file. */
  notFound: 6,
} as const

export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.failed, 'something went wrong, or a check found something wrong'],
  [EXIT.usage, 'the command line was not understood; nothing was tried'],
  [EXIT.refused, 'refused by the plan, or by what lies in the data directory; nothing was changed'],
  [EXIT.unreachable, 'no server answers'],
  [EXIT.notAllowed, 'no token, not a good one, or one that does not reach so far'],
  [EXIT.notFound, 'no such thread, or it was deleted; no such file'],
]

/** What ends a command early: told on standard error, with this exit code. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: number
  /** What to do about it. */
  readonly hint: string | undefined
  constructor(message: string, code: number = EXIT.failed, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
export const usageError = (message: string): CliError => new CliError(message, EXIT.usage)

/** What stands for a value, for help and completion. */
export type Completion = 'file' | 'directory' | 'thread' | 'tool' | readonly string[]

export interface OptionSpec {
  readonly about: string
  /** What the value is called; absent: a switch. */
  readonly value?: string
  readonly short?: string
  /** May be given several times. */
  readonly multiple?: true
  readonly completes?: Completion
}

export interface PlaceSpec {
  readonly name: string
  readonly about: string
  readonly optional?: true
  readonly completes?: Completion
}

/** A command as help and completion tell of it; what it does is loaded when it is run. */
export interface CommandSpec {
  readonly name: string
  /** One line, without a full stop. */
  readonly summary: string
  readonly places: readonly PlaceSpec[]
  readonly options: Readonly<Record<string, OptionSpec>>
  /** Paragraphs. */
  readonly about: readonly string[]
  /** What for, and the line. */
  readonly examples: readonly (readonly [string, string])[]
  readonly load: () => Promise<{ readonly run: Run }>
}
/** @returns the exit code; nothing means 0 */
export type Run = (call: Call) => Promise<number | void>

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
interface CallParts {
  readonly command: CommandSpec
  /** All that there are. */
  readonly commands: readonly CommandSpec[]
  readonly values: Values
  readonly places: readonly string[]
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A command line, understood. */
export class Call {
  readonly command: CommandSpec
  readonly commands: readonly CommandSpec[]
  readonly terminal: Terminal
  readonly #env: CallParts['env']
  readonly #values: Values
  readonly #places: readonly string[]

  constructor({ command, commands, values, places, terminal, env }: CallParts) {
    this.command = command
    this.commands = commands
    this.terminal = terminal
    this.#values = values
    this.#places = places
    this.#env = env
  }

  get isJson(): boolean {
    return this.flag('json')
  }
  flag(name: string): boolean {
    return this.#values[name] === true
  }
  /** The value of an option; with `env` that of a variable, where it is not given. */
  text(name: string, env?: string): string | undefined {
    const value = this.#values[name]
    if (typeof value === 'string') return value
    return env === undefined ? undefined : this.#env[env]?.trim() || undefined
  }
  list(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map(String) : []
  }
  /** @throws CliError for anything but a whole number from `least` */
  number(name: string, least = 0): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (value >= least) return value
    throw usageError(`--${name} is a whole number from ${least}, not ${JSON.stringify(text)}.`)
  }
  place(index: number): string | undefined {
    return this.#places[index]
  }
  /** @throws CliError if it is not given */
  required(index: number): string {
    const value = this.#places[index]
    if (value === undefined) throw usageError(`${this.command.places[index]?.name ?? 'An argument'} is missing.`)
    return value
  }

  /** Shows the outcome: one JSON document if that is asked for, else what people read. */
  show(json: unknown, people: () => string): void {
    this.terminal.print(this.isJson ? `${JSON.stringify(json)}\n` : people())
  }
}
