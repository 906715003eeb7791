import type { CommandSpec, Completion, OptionSpec } from './command.ts'
import { COMMON } from './help.ts'

const optionsOf = (command: CommandSpec): [string, OptionSpec][] => Object.entries({ ...command.options, ...COMMON })
const flagsOf = (name: string, { short }: OptionSpec): string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
]

/** What bash runs to fill in a value. */
function bashWords(completes: Completion | undefined, tools: readonly string[]): string {
  if (completes === undefined) return 'COMPREPLY=()'
  if (completes === 'file') return 'COMPREPLY=($(compgen -f -- "$cur"))'
  if (completes === 'directory') return 'COMPREPLY=($(compgen -d -- "$cur"))'
  const words =
    completes === 'thread'
      ? '$(planroom threads --names 2>/dev/null)'
      : (completes === 'tool' ? tools : completes).join(' ')
  return `COMPREPLY=($(compgen -W "${words}" -- "$cur"))`
}

export function bashCompletion(commands: readonly CommandSpec[], tools: readonly string[]): string {
  const names = commands.map(({ name }) => name)
  const cases = commands.map((command) => {
    const options = optionsOf(command)
    const values = options.flatMap(([name, spec]) =>
      spec.value === undefined
        ? []
        : [`        ${flagsOf(name, spec).join('|')}) ${bashWords(spec.completes, tools)}; return;;`],
    )
    const withValue = options.flatMap(([name, spec]) => (spec.value === undefined ? [] : flagsOf(name, spec)))
    const flags = options.flatMap(([name, spec]) => flagsOf(name, spec)).join(' ')
    const places = command.places.map((place, i) => `        ${i}) ${bashWords(place.completes, tools)};;`)
    return `    ${command.name})
      case "$prev" in
${values.join('\n')}
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "${flags}" -- "$cur")); return; fi
      for ((i = at + 1; i < COMP_CWORD; i++)); do
        case "\${COMP_WORDS[i]}" in ${withValue.length === 0 ? '' : `${withValue.join('|')}) ((i++));; `}-?*);; *) ((place++));; esac
      done
      case "$place" in
${places.join('\n')}
      esac;;`
  })
  return `# planroom completion for bash: eval "$(planroom completion bash)"
_planroom() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at=1 place=0 i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W "${names.join(' ')} help --help --version" -- "$cur")); return; fi
  case "\${COMP_WORDS[at]}" in
    help) COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$cur"));;
${cases.join('\n')}
  esac
}
complete -o filenames -F _planroom planroom
`
}

/** For zsh: what stands in single quotes, within a specification that colons and brackets divide. */
const quote = (text: string): string => text.replaceAll("'", `'\\''`)
const plain = (text: string): string => quote(text.replaceAll(/([\\[\]:])/g, '\\$1'))

function zshAction(completes: Completion | undefined, tools: readonly string[]): string {
  if (completes === undefined) return ' '
  if (completes === 'file') return '_files'
  if (completes === 'directory') return '_files -/'
  if (completes === 'thread') return '_planroom_threads'
  return `(${(completes === 'tool' ? tools : completes).join(' ')})`
}

export function zshCompletion(commands: readonly CommandSpec[], tools: readonly string[]): string {
  const list = commands.map(({ name, summary }) => `    '${name}:${plain(summary)}'`).join('\n')
  const cases = commands.map((command) => {
    const options = optionsOf(command).map(([name, spec]) => {
      const value = spec.value === undefined ? '' : `:${plain(spec.value)}:${zshAction(spec.completes, tools)}`
      const about = `[${plain(spec.about)}]${value}`
      if (spec.short === undefined) return `'${spec.multiple ? '*' : ''}--${name}${about}'`
      return `${spec.multiple ? "'*'" : `'(-${spec.short} --${name})'`}{-${spec.short},--${name}}'${about}'`
    })
    const places = command.places.map(
      (place, i) => `'${i + 1}:${place.optional ? ':' : ''}${plain(place.name)}:${zshAction(place.completes, tools)}'`,
    )
    return `    ${command.name}) _arguments -s \\\n      ${[...options, ...places].join(' \\\n      ')};;`
  })
  return `#compdef planroom
# planroom completion for zsh: eval "$(planroom completion zsh)", behind compinit
_planroom_threads() {
  local -a threads
  threads=(\${(f)"$(planroom threads --names 2>/dev/null)"})
  compadd -a threads
}
_planroom() {
  local -a commands
  commands=(
${list}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe command commands;;
${cases.join('\n')}
  esac
}
compdef _planroom planroom
`
}
