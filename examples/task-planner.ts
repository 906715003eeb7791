import type OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
// In a program of your own: from 'planroom/client/tools'.
import { makeTodoTools, type SeedTask, TaskPlanner, TodoList } from '../client/sdk/tools.ts'

const MOST_TURNS = 20

export interface Job {
  /** `new OpenAI()` */
  readonly client: OpenAI
  readonly model: string
  readonly task: string
  /** What the list begins with, if there is nothing in it yet. */
  readonly tasks?: readonly SeedTask[]
  /** By default a list in memory; `new TodoList(hostOf(live))` works on a plan of the server. */
  readonly list?: TodoList
}

/** An agent that is told before each turn how its list stands, and goes on until nothing in it is pending. */
export async function run({ client, model, task, tasks = [], list = new TodoList() }: Job): Promise<string> {
  const planner = new TaskPlanner({ todoList: list, tasks })
  const todoTools = makeTodoTools(list, 'planner')
  const tools = todoTools.map(({ name, description, parameters }) => {
    return { type: 'function', function: { name, description, parameters } } as const
  })
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const status = planner.buildPlanningInstruction() ?? 'There is no list yet: make one with write_todos.'
    const system = {
      role: 'system',
      content: `Work on the task of the user, and keep the list up to date.\n\n${status}`,
    } as const
    const completion = await client.chat.completions.create({ model, tools, messages: [system, ...messages] })
    const message = completion.choices[0]?.message
    if (message === undefined) throw new Error('The model did not answer.')
    messages.push(message)
    const calls = message.tool_calls?.filter((call) => call.type === 'function') ?? []
    for (const { id, function: called } of calls) {
      const tool = todoTools.find(({ name }) => name === called.name)
      // Arguments that are broken are the tool's business: it says what is wrong with them.
      const content = tool === undefined ? `There is no tool ${called.name}.` : await tool.execute(called.arguments)
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
    if (calls.length > 0) continue
    if (!planner.hasPendingTasks()) return message.content ?? ''
    messages.push({ role: 'user', content: 'Some tasks are still open. Go on, or cancel them.' })
  }
  throw new Error('The model did not come to an end.')
}
