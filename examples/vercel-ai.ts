import { dynamicTool, generateText, type JSONSchema7, jsonSchema, type LanguageModel, stepCountIs } from 'ai'
import { MOST_TURNS, type Planroom, type ToolResult } from './planroom.ts'

interface Definition {
  readonly name: string
  readonly description: string
  readonly parameters: JSONSchema7
}

/** An agent on the Vercel AI SDK. @param model such as `openai('gpt-5')` of `@ai-sdk/openai` */
export async function run(model: LanguageModel, plan: Planroom, task: string): Promise<string> {
  const definitions = await plan.tools<Definition>('base')
  const tools = definitions.map(({ name, description, parameters }) => {
    const tool = dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: (input, { toolCallId }) => plan.call(name, input, toolCallId),
      // Without this the model would read an object around the text.
      toModelOutput: ({ output }) => {
        const { text, isError } = output as ToolResult
        return { type: isError ? 'error-text' : 'text', value: text }
      },
    })
    return [name, tool] as const
  })
  const { text } = await generateText({
    model,
    prompt: task,
    tools: Object.fromEntries(tools),
    stopWhen: stepCountIs(MOST_TURNS),
    prepareStep: async () => ({ system: await plan.prompt() }),
  })
  return text
}
