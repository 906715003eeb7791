import { readFileSync } from 'node:fs'
import { format, type FormatConfig } from 'oxfmt'
import type { App } from '../../server/app.ts'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { baseSchema } from '../../shared/dialects/schemas.ts'
import { ask } from './http.ts'

const THREAD = 'holiday'
const SERVER = 'http://127.0.0.1:4080'

/**
 * A page made of its source: every fence that is a directive becomes what really comes of it.
 * - `call AGENT [text]`: a tool call, `tool {arguments}`, and its reply, or no more of it than the model is shown;
 *   with `silent` it is made and not shown
 * - `get [AGENT]`: an address, and what is read there
 * - `include`: a file; `tools`: a table of a dialect's tools
 */
export async function makePage(app: App, name: string): Promise<string> {
  const source = readFileSync(`docs/src/${name}.md`, 'utf8')
  const parts: string[] = []
  let end = 0
  for (const found of source.matchAll(/^```(call|get|include|tools)(.*)\n([^]*?)^```$/gm)) {
    const [whole, directive = '', words = '', body = ''] = found
    parts.push(source.slice(end, found.index), await made(app, directive, words.trim().split(' '), body.trim()))
    end = found.index + whole.length
  }
  const page = `<!-- Made of docs/src/${name}.md by \`npm run docs\`. -->\n\n${parts.join('')}${source.slice(end)}`
  const config = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as FormatConfig
  const { code, errors } = await format(`${name}.md`, withoutChance(page), config)
  if (errors[0] !== undefined) throw new Error(errors[0].message)
  return code
}

async function made(app: App, directive: string, words: readonly string[], body: string): Promise<string> {
  const [first = '', second] = words
  switch (directive) {
    case 'call':
      return callAndReply(app, first, second, body)
    case 'get':
      return getAndReply(app, first, body)
    case 'include':
      return fence(first.replace(/^.*\./, ''), readFileSync(first, 'utf8').trim())
    default:
      return toolTable(first)
  }
}

async function callAndReply(app: App, agent: string, mode: string | undefined, body: string): Promise<string> {
  const [, tool = '', args = ''] = /^(\w+)\s+([^]*)$/.exec(body) ?? []
  const path = `/threads/${THREAD}/tools/${tool}`
  const headers = { 'X-Agent-Name': agent }
  const answer = await ask(app, path, { method: 'POST', headers, body: args })
  if (answer.status !== 200) throw new Error(`${body}: ${answer.text}`)
  if (mode === 'silent') return ''
  const { text } = answer.json as { text: string }
  const curl = `curl -s ${SERVER}${path} -H 'X-Agent-Name: ${agent}' -d '${args.replaceAll("'", "'\\''")}'`
  const reply = mode === 'text' ? fence(/^[{[]/.test(text) ? 'json' : '', text) : fence('json', answer.text)
  return `${fence('sh', curl)}\n\n${reply}`
}

async function getAndReply(app: App, agent: string, path: string): Promise<string> {
  const answer = await ask(app, path, agent === '' ? {} : { headers: { 'X-Agent-Name': agent } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  const header = agent === '' ? '' : ` -H 'X-Agent-Name: ${agent}'`
  return `${fence('sh', `curl -s '${SERVER}${path}'${header}`)}\n\n${fence('', answer.text.trim())}`
}

function toolTable(name: string): string {
  const tools = DIALECTS.get(name)?.tools ?? []
  const rows = tools.map((tool) => {
    const { properties = {}, required = [] } = baseSchema(tool) as { properties?: object; required?: string[] }
    const shown = Object.keys(properties).filter((key) => key !== 'action_and_reasoning')
    const args = shown.map((key) => `\`${key}${required.includes(key) ? '' : '?'}\``)
    return `| \`${tool.name}\` | ${tool.title} | ${args.join(', ')} |`
  })
  return ['| tool | | arguments |', '| --- | --- | --- |', ...rows].join('\n')
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Ids are random: each gets a name in the order in which they come. */
function withoutChance(page: string): string {
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id-of-step-${names.size + 1}`
    names.set(id, name)
    return name
  }
  return page
    .replace(/"id":\s*"([\w-]{16})"/g, (_whole, id: string) => `"id": "${nameOf(id)}"`)
    .replace(/\b(\d+~)([\w-]{16})/g, (_whole, place: string, id: string) => `${place}${nameOf(id)}`)
}
