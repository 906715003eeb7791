import { randomUUID } from 'node:crypto'
import type { Content, GoogleGenAI, Part, Tool } from '@google/genai'
import { MOST_TURNS, type Planroom } from './planroom.ts'

/** An agent on the Gemini API. @param client `new GoogleGenAI({ apiKey })` */
export async function run(client: GoogleGenAI, model: string, plan: Planroom, task: string): Promise<string> {
  const tools = await plan.tools<Tool>('gemini')
  const contents: Content[] = [{ role: 'user', parts: [{ text: task }] }]
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const config = { tools, systemInstruction: await plan.prompt() }
    const answer = await client.models.generateContent({ model, contents, config })
    const said = answer.candidates?.[0]?.content
    if (said === undefined) throw new Error('The model did not answer.')
    contents.push(said)
    const calls = answer.functionCalls ?? []
    if (calls.length === 0) return answer.text ?? ''
    const parts: Part[] = []
    // Not every model gives its calls an id.
    for (const { name = '', args = {}, id = randomUUID() } of calls) {
      const { text, isError } = await plan.call(name, args, id)
      parts.push({ functionResponse: { id, name, response: isError ? { error: text } : { output: text } } })
    }
    contents.push({ role: 'user', parts })
  }
  throw new Error('The model did not come to an end.')
}
