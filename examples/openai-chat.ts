import type OpenAI from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import { MOST_TURNS, type Planroom } from './planroom.ts'

/** An agent on the Chat Completions API. @param client `new OpenAI()` */
export async function run(client: OpenAI, model: string, plan: Planroom, task: string): Promise<string> {
  const tools = await plan.tools<ChatCompletionTool>('openai')
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const system = { role: 'system', content: await plan.prompt() } as const
    const completion = await client.chat.completions.create({ model, tools, messages: [system, ...messages] })
    const message = completion.choices[0]?.message
    if (message === undefined) throw new Error('The model did not answer.')
    messages.push(message)
    const calls = message.tool_calls?.filter((call) => call.type === 'function') ?? []
    if (calls.length === 0) return message.content ?? ''
    for (const { id, function: called } of calls) {
      // This API has no mark for errors: the text says it.
      const { text } = await plan.call(called.name, called.arguments, id)
      messages.push({ role: 'tool', tool_call_id: id, content: text })
    }
  }
  throw new Error('The model did not come to an end.')
}
