import Anthropic from '@anthropic-ai/sdk'
import { createOpenAI } from '@ai-sdk/openai'
import { GoogleGenAI } from '@google/genai'
import { ChatOpenAI } from '@langchain/openai'
import OpenAI from 'openai'
import { run as runAnthropic } from '../../examples/anthropic.ts'
import { run as runGemini } from '../../examples/gemini.ts'
import { run as runLangGraph } from '../../examples/langgraph.ts'
import { run as runChat } from '../../examples/openai-chat.ts'
import { run as runResponses } from '../../examples/openai-responses.ts'
import type { Planroom } from '../../examples/planroom.ts'
import { run as runVercel } from '../../examples/vercel-ai.ts'
import type { Asked } from '../helpers/model-server.ts'

/** A tool call as a model makes it. */
export interface Call {
  readonly id: string
  readonly name: string
  readonly args: object
}

/** A result as it reaches a model. */
export interface Told {
  readonly id: string
  readonly text: string
  /** null: this API has no mark for errors. */
  readonly isError: boolean | null
}

/** One integration: how its provider speaks, and how its example is run. */
export interface Provider {
  readonly name: string
  readonly calls: (calls: readonly Call[]) => object
  readonly says: (text: string) => object
  /** The names of the tools that a request offers. */
  readonly toolsIn: (asked: Asked) => unknown
  readonly promptIn: (asked: Asked) => string
  readonly resultsIn: (asked: Asked) => Told[]
  readonly run: (url: string, plan: Planroom, task: string) => Promise<string>
}

const MODEL = 'stand-in'
type Fields = Readonly<Record<string, unknown>>
const list = (value: unknown): readonly Fields[] => value as readonly Fields[]
const names = (tools: unknown): unknown => list(tools).map(({ name }) => name)

/** Some SDKs take two messages with one id for one message. */
let messages = 0

function chatAnswer(message: object, finish_reason: string) {
  return {
    id: `chatcmpl-${++messages}`,
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

const chat: Omit<Provider, 'name' | 'run'> = {
  calls: (calls) => {
    const tool_calls = calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }))
    return chatAnswer({ tool_calls }, 'tool_calls')
  },
  says: (content) => chatAnswer({ content }, 'stop'),
  toolsIn: ({ body }) => names(list(body['tools']).map((tool) => tool['function'])),
  promptIn: ({ body }) => String(list(body['messages'])[0]?.['content']),
  resultsIn: ({ body }) =>
    list(body['messages'])
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ id: String(tool_call_id), text: String(content), isError: null })),
}

const responsesAnswer = (output: readonly object[]): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: MODEL,
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})

const anthropicAnswer = (content: readonly object[], stop_reason: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: MODEL,
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

const geminiAnswer = (parts: readonly object[]): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
})

export const PROVIDERS: readonly Provider[] = [
  {
    name: 'OpenAI, Chat Completions',
    ...chat,
    run: (url, plan, task) => runChat(new OpenAI({ apiKey: 'k', baseURL: `${url}/v1` }), MODEL, plan, task),
  },
  {
    name: 'OpenAI, Responses',
    calls: (calls) =>
      responsesAnswer(
        calls.map(({ id, name, args }) => ({
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        })),
      ),
    says: (text) =>
      responsesAnswer([
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ]),
    toolsIn: ({ body }) => names(body['tools']),
    promptIn: ({ body }) => String(body['instructions']),
    resultsIn: ({ body }) =>
      list(body['input'])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id, output }) => ({ id: String(call_id), text: String(output), isError: null })),
    run: (url, plan, task) => runResponses(new OpenAI({ apiKey: 'k', baseURL: `${url}/v1` }), MODEL, plan, task),
  },
  {
    name: 'Anthropic',
    calls: (calls) =>
      anthropicAnswer(
        calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
        'tool_use',
      ),
    says: (text) => anthropicAnswer([{ type: 'text', text, citations: null }], 'end_turn'),
    toolsIn: ({ body }) => names(body['tools']),
    promptIn: ({ body }) => String(body['system']),
    resultsIn: ({ body }) =>
      list(list(body['messages']).at(-1)?.['content']).map(({ tool_use_id, content, is_error }) => ({
        id: String(tool_use_id),
        text: String(content),
        isError: is_error === true,
      })),
    run: (url, plan, task) => runAnthropic(new Anthropic({ apiKey: 'k', baseURL: url }), MODEL, plan, task),
  },
  {
    name: 'Gemini',
    calls: (calls) => geminiAnswer(calls.map((call) => ({ functionCall: call }))),
    says: (text) => geminiAnswer([{ text }]),
    toolsIn: ({ body }) => names(list(body['tools'])[0]?.['functionDeclarations']),
    promptIn: ({ body }) => JSON.stringify(body['systemInstruction']).replaceAll('\\n', '\n'),
    resultsIn: ({ body }) =>
      list(list(body['contents']).at(-1)?.['parts']).map(({ functionResponse }) => {
        const { id, response } = functionResponse as { id: string; response: { output?: string; error?: string } }
        return { id, text: response.output ?? response.error ?? '', isError: response.error !== undefined }
      }),
    run: (url, plan, task) =>
      runGemini(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }), MODEL, plan, task),
  },
  {
    name: 'Vercel AI SDK',
    ...chat,
    run: (url, plan, task) => runVercel(createOpenAI({ apiKey: 'k', baseURL: `${url}/v1` }).chat(MODEL), plan, task),
  },
  {
    name: 'LangGraph',
    ...chat,
    run: (url, plan, task) =>
      runLangGraph(new ChatOpenAI({ apiKey: 'k', model: MODEL, configuration: { baseURL: `${url}/v1` } }), plan, task),
  },
]
