import { type Call, usageError } from '../command.ts'
import { bashCompletion, zshCompletion } from '../shells.ts'

export async function run(call: Call): Promise<void> {
  const shell = call.required(0)
  if (shell !== 'bash' && shell !== 'zsh') throw usageError(`SHELL is bash or zsh, not ${JSON.stringify(shell)}.`)
  const { TOOLS } = await import('../../../shared/dialects/registry.ts')
  const tools = [...TOOLS.keys()]
  const script = shell === 'bash' ? bashCompletion(call.commands, tools) : zshCompletion(call.commands, tools)
  call.show({ shell, script }, () => script)
}
