import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { Dialect, Tool } from '../../../shared/dialects/dialect.ts'

type OutputSchema = NonNullable<McpTool['outputSchema']>

const string = (description: string) => ({ type: 'string', description })
const strings = (description: string) => ({ type: 'array', description, items: { type: 'string' } })
const version = { type: 'integer', description: 'The version of the plan after the call; `rev` takes it.' }

const TEXT: OutputSchema = {
  type: 'object',
  properties: { result: string('What the tool says.') },
  required: ['result'],
}

const ENVELOPE: OutputSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean', description: 'True: a refusal is an error result.' },
    summary: string('What was done, or the plan.'),
    version,
    notes: strings('How arguments were read, and what else to know.'),
    digest: string('What others did since you were last told.'),
  },
  required: ['success', 'summary', 'version'],
}

const groups = {
  type: 'array',
  description: 'The groups, each with its tasks.',
  items: { type: 'object', properties: { title: string('The name of the group.') }, required: ['title'] },
}
const nags = {
  type: 'array',
  description: 'Advice; what was asked for was done.',
  items: { type: 'object', properties: { message: string('The advice.') }, required: ['message'] },
}
const GROUPS: OutputSchema = {
  type: 'object',
  properties: { groups, nags, version },
  required: ['groups', 'nags', 'version'],
}
const LIST: OutputSchema = {
  type: 'object',
  properties: {
    list: { type: 'object', description: 'The plan after the call.', properties: { groups }, required: ['groups'] },
    nags,
    version,
  },
  required: ['list', 'nags', 'version'],
}

/** What each tool, or else each tool of a dialect, answers with: required is only what is always there. */
const OUTPUTS: ReadonlyMap<string, OutputSchema> = new Map([
  ['outline', ENVELOPE],
  ['plan_todo_read', GROUPS],
  ['plan_todo_write', LIST],
  ['plan_todo_edit', LIST],
  ['plan_todo_cross_off', LIST],
  ['plan_load_from_md', TEXT],
  ['checklist', TEXT],
])

/** The schema of what a tool's results hold; of one that nothing is known of, that it is an object. */
export const outputOf = (dialect: Dialect, tool: Tool): OutputSchema =>
  OUTPUTS.get(tool.name) ?? OUTPUTS.get(dialect.name) ?? { type: 'object' }
