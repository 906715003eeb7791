import { Api, threadOf } from '../api.ts'
import type { Call } from '../command.ts'

export async function run(call: Call): Promise<void> {
  const thread = threadOf(call, 0)
  const query = new URLSearchParams()
  const maxTokens = call.number('max-tokens', 100)
  const dialect = call.text('dialect')
  const reader = call.text('for')
  if (dialect !== undefined) query.set('dialect', dialect)
  if (maxTokens !== undefined) query.set('max_tokens', String(maxTokens))
  if (reader !== undefined) query.set('for', reader)
  const block = await new Api(call).text(`/threads/${thread}/context?${query.toString()}`)
  if (call.isJson) return call.terminal.print(`${JSON.stringify({ thread, dialect: dialect ?? 'outline', block })}\n`)
  call.terminal.printForeign(block === '' || block.endsWith('\n') ? block : `${block}\n`)
}
