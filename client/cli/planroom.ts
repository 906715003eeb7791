#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { COMMANDS, findCommand } from './commands.ts'
import { Call, CliError, type CommandSpec, EXIT, usageError } from './command.ts'
import { COMMON, commandHelp, overview } from './help.ts'
import { closest } from './closest.ts'
import { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

/** Where a command line goes wrong before there is a command. */
async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args
  const colours = !args.includes('--no-color')
  const terminal = new Terminal(process.stdout, process.stderr, process.env, colours)
  const isJson = args.includes('--json')
  try {
    if (name === '--version' || name === '-v' || name === 'version') {
      terminal.print(isJson ? `${JSON.stringify({ version: VERSION })}\n` : `${VERSION}\n`)
      return EXIT.ok
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      const about = rest.find((word) => !word.startsWith('-'))
      terminal.print(about === undefined ? overview(COMMANDS, VERSION) : commandHelp(known(about)))
      return EXIT.ok
    }
    if (name === '') {
      terminal.complain(overview(COMMANDS, VERSION))
      return EXIT.usage
    }
    const command = known(name)
    const call = understand(command, rest, terminal)
    if (call.flag('help')) {
      terminal.print(commandHelp(command))
      return EXIT.ok
    }
    const { run } = await command.load()
    return (await run(call)) ?? EXIT.ok
  } catch (error) {
    return complain(error, terminal, findCommand(name), isJson)
  }
}

function known(name: string): CommandSpec {
  const found = findCommand(name)
  if (found !== undefined) return found
  const near = closest(
    name,
    COMMANDS.map((command) => command.name),
  )
  throw usageError(`There is no command ${JSON.stringify(name)}.${near === null ? '' : ` Did you mean ${near}?`}`)
}

function understand(command: CommandSpec, args: readonly string[], terminal: Terminal): Call {
  const specs = { ...command.options, ...COMMON }
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short, multiple }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
        ...(multiple === undefined ? {} : { multiple }),
      },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const extra = positionals[command.places.length]
    if (extra !== undefined && values['help'] !== true)
      throw usageError(`There is one argument too many: ${JSON.stringify(extra)}.`)
    return new Call({ command, commands: COMMANDS, values, places: positionals, terminal, env: process.env })
  } catch (error) {
    if (error instanceof CliError) throw error
    throw usageError(inWords(error, Object.keys(specs)))
  }
}

/** What parseArgs says, without its advice on positionals, and with ours on slips. */
function inWords(error: unknown, options: readonly string[]): string {
  const text = error instanceof Error ? error.message : String(error)
  const unknown = /^Unknown option '(-[^']*)'/.exec(text)?.[1]
  if (unknown === undefined) return text.endsWith('.') ? text : `${text}.`
  const near = closest(unknown.replace(/^-+/, ''), options)
  return `Unknown option ${unknown}.${near === null || !unknown.startsWith('--') ? '' : ` Did you mean --${near}?`}`
}

function complain(error: unknown, terminal: Terminal, command: CommandSpec | undefined, isJson: boolean): number {
  const code = error instanceof CliError ? error.code : EXIT.failed
  const message = error instanceof Error ? error.message : String(error)
  const asksHelp =
    code === EXIT.usage ? `See: planroom ${command === undefined ? '' : `${command.name} `}--help` : undefined
  const hint = (error instanceof CliError ? error.hint : undefined) ?? asksHelp
  if (isJson) {
    terminal.complain(
      `${JSON.stringify({ error: { message, exitCode: code, ...(hint === undefined ? {} : { hint }) } })}\n`,
    )
    return code
  }
  const who = command === undefined ? 'planroom' : `planroom ${command.name}`
  terminal.complain(`${terminal.paintError('red', who)}: ${message}\n${hint === undefined ? '' : `${hint}\n`}`)
  return code
}

// Whoever reads may have had enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT.failed))
// Not process.exit: what was written to a pipe must go out first.
process.exitCode = await main(process.argv.slice(2))
