import type OpenAI from 'openai'
import type { FunctionTool, ResponseInput } from 'openai/resources/responses/responses'
import { MOST_TURNS, type Planroom } from './planroom.ts'

/** An agent on the Responses API. @param client `new OpenAI()` */
export async function run(client: OpenAI, model: string, plan: Planroom, task: string): Promise<string> {
  const tools = await plan.tools<FunctionTool>('openai-responses')
  const input: ResponseInput = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    // Instructions are not carried over from one request to the next, so only the newest block is there.
    const response = await client.responses.create({ model, tools, input, instructions: await plan.prompt() })
    // What the model said goes back as it came.
    input.push(...(response.output as ResponseInput))
    const calls = response.output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) return response.output_text
    for (const { name, arguments: args, call_id } of calls) {
      // This API has no mark for errors: the text says it.
      const { text } = await plan.call(name, args, call_id)
      input.push({ type: 'function_call_output', call_id, output: text })
    }
  }
  throw new Error('The model did not come to an end.')
}
