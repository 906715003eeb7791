import type { ToolDefinition } from '@langchain/core/language_models/base'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import type { ChatOpenAI } from '@langchain/openai'
import { MOST_TURNS, type Planroom } from './planroom.ts'

/** An agent as a graph of LangGraph. @param model `new ChatOpenAI({ model })`, or any chat model that binds tools */
export async function run(model: ChatOpenAI, plan: Planroom, task: string): Promise<string> {
  const bound = model.bindTools(await plan.tools<ToolDefinition>('openai'))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('think', async ({ messages }) => {
      // The block goes to the model, and not into the state: there it would grow old.
      const system = new SystemMessage(await plan.prompt())
      return { messages: [await bound.invoke([system, ...messages])] }
    })
    .addNode('act', async ({ messages }) => {
      const results: ToolMessage[] = []
      for (const { name, args, id = '' } of callsIn(messages)) {
        const { text, isError } = await plan.call(name, args, id)
        results.push(new ToolMessage({ content: text, tool_call_id: id, status: isError ? 'error' : 'success' }))
      }
      return { messages: results }
    })
    .addEdge(START, 'think')
    .addConditionalEdges('think', ({ messages }) => (callsIn(messages).length > 0 ? 'act' : END))
    .addEdge('act', 'think')
    .compile()
  const { messages } = await graph.invoke({ messages: [new HumanMessage(task)] }, { recursionLimit: 2 * MOST_TURNS })
  return messages.at(-1)?.text ?? ''
}

function callsIn(messages: readonly BaseMessage[]) {
  const last = messages.at(-1)
  return last instanceof AIMessage ? (last.tool_calls ?? []) : []
}
