import type Anthropic from '@anthropic-ai/sdk'
import { MOST_TURNS, type Planroom } from './planroom.ts'

/** An agent on the Messages API. @param client `new Anthropic()` */
export async function run(client: Anthropic, model: string, plan: Planroom, task: string): Promise<string> {
  const tools = await plan.tools<Anthropic.Tool>('anthropic')
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const system = await plan.prompt()
    const { content } = await client.messages.create({ model, max_tokens: 4_096, system, tools, messages })
    messages.push({ role: 'assistant', content })
    const calls = content.filter((block) => block.type === 'tool_use')
    if (calls.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    const results: Anthropic.ToolResultBlockParam[] = []
    for (const { id, name, input } of calls) {
      const { text, isError } = await plan.call(name, input, id)
      results.push({ type: 'tool_result', tool_use_id: id, content: text, is_error: isError })
    }
    messages.push({ role: 'user', content: results })
  }
  throw new Error('The model did not come to an end.')
}
