import type { StepId } from '../../sdk/index.ts'
import { pathOf } from './path.ts'

/** What stands for a token where everybody has to put in their own: a token that one copies is a token that leaks. */
const TOKEN = 'YOUR_TOKEN'

/** @param step null: to the plan */
export const linkTo = (thread: string, step: StepId | null): string =>
  location.origin + pathOf(thread) + (step === null ? '' : `#step=${step}`)

/** The step that the address is about. */
export const stepInAddress = (): StepId | null =>
  new URLSearchParams(location.hash.slice(1)).get('step') as StepId | null

/** How an agent gets at a plan, in the words of what it is put into. */
export function waysFor(
  thread: string,
  needsToken: boolean,
): readonly { readonly name: string; readonly text: string }[] {
  const plan = `${location.origin}/threads/${encodeURIComponent(thread)}`
  const mcp = `${plan}/mcp?name=my-agent`
  const headers = needsToken ? { headers: { Authorization: `Bearer ${TOKEN}` } } : {}
  const curl = [
    `curl -s ${plan}/tools/add_todos`,
    ...(needsToken ? [`-H 'Authorization: Bearer ${TOKEN}'`] : [`-H 'X-Agent-Name: my-agent'`]),
    `-H 'Content-Type: application/json'`,
    `-d '{"steps": [{"text": "First step"}]}'`,
  ]
  return [
    { name: 'MCP address', text: mcp },
    {
      name: '.mcp.json',
      text: JSON.stringify({ mcpServers: { planroom: { type: 'http', url: mcp, ...headers } } }, null, 2),
    },
    { name: 'curl', text: curl.join(' \\\n  ') },
  ]
}

/** Has the browser keep a text as a file. */
export function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/markdown;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once: the browser reads it when it gets to it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Asks for a file. Nothing comes of it if none is chosen. */
export function pickText(onText: (text: string) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.md,.markdown,.txt,text/markdown,text/plain'
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    if (file !== undefined) void file.text().then(onText)
  })
  input.click()
}
