import type { CommandSpec, OptionSpec } from './command.ts'
import { EXIT_MEANINGS } from './command.ts'

const WIDTH = 80

/** Every command takes these. */
export const COMMON: Readonly<Record<string, OptionSpec>> = {
  json: { about: 'Print one JSON document, and errors as JSON on standard error.' },
  'no-color': { about: 'No colours, even on a terminal. NO_COLOR does the same.' },
  help: { short: 'h', about: 'Tell all about this command.' },
}
/** Those that speak to a server take these too. */
export const REMOTE: Readonly<Record<string, OptionSpec>> = {
  url: {
    short: 'u',
    value: 'URL',
    about: 'Where the server is. PLANROOM_URL; http://127.0.0.1:4080 if neither is set.',
  },
  token: {
    value: 'TOKEN',
    about:
      'The token, where the server wants one. Better set PLANROOM_TOKEN: others can read the arguments of a process.',
  },
  name: {
    short: 'n',
    value: 'NAME',
    about: 'Who calls, where no token says it. PLANROOM_NAME, else the user of this machine.',
  },
}

const wrap = (text: string, indent: string): string => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 1 > WIDTH) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line].join('\n')
}

const entry = (head: string, about: string): string => `  ${head}\n${wrap(about, '      ')}`

const optionHead = (name: string, { short, value }: OptionSpec): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`

const section = (title: string, body: string): string => `${title}\n${body}`

const usageLine = ({ name, places }: CommandSpec): string =>
  ['planroom', name, ...places.map((place) => (place.optional ? `[${place.name}]` : place.name)), '[options]'].join(' ')

/** A man page's worth. */
export function commandHelp(command: CommandSpec): string {
  const { name, summary, places, about, examples } = command
  const options = { ...command.options, ...COMMON }
  const parts = [
    section('NAME', `  planroom ${name} - ${summary}`),
    section('USAGE', `  ${usageLine(command)}`),
    section('DESCRIPTION', about.map((paragraph) => wrap(paragraph, '  ')).join('\n\n')),
    ...(places.length === 0
      ? []
      : [section('ARGUMENTS', places.map((place) => entry(place.name, place.about)).join('\n'))]),
    section(
      'OPTIONS',
      Object.entries(options)
        .map(([option, spec]) => entry(optionHead(option, spec), spec.about))
        .join('\n'),
    ),
    section('EXIT CODES', EXIT_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')),
    section('EXAMPLES', examples.map(([what, line]) => `${wrap(`${what}:`, '  ')}\n\n      ${line}`).join('\n\n')),
  ]
  return `${parts.join('\n\n')}\n`
}

export function overview(commands: readonly CommandSpec[], version: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')
  return `Planroom ${version}: the live plan that agents and people share.

Usage: planroom COMMAND [options]

${list}

"planroom COMMAND --help" tells all about a command, with examples.

Variables: PLANROOM_URL, PLANROOM_TOKEN, PLANROOM_THREAD and PLANROOM_NAME stand for
--url, --token, --thread and --name; PLANROOM_DATA_DIR for --data.

Exit codes:
${EXIT_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}
`
}
