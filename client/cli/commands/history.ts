import type { ActivityEntry } from '../../../server/rooms/storage.ts'
import { oneLine } from '../../../shared/dialects/lines.ts'
import { Api, threadOf } from '../api.ts'
import type { Call } from '../command.ts'
import { type Terminal, timeText } from '../terminal.ts'

export async function run(call: Call): Promise<void> {
  const thread = threadOf(call, 0)
  const api = new Api(call)
  const last = call.number('last', 1)
  let after = call.number('after') ?? 0
  if (last !== undefined) {
    const { version } = await api.json<{ version: number }>(`/threads/${thread}`)
    after = Math.max(after, version - last)
  }
  const entries: ActivityEntry[] = []
  for (let next: number | null = after; next !== null;) {
    const page: { entries: ActivityEntry[]; next: number | null } = await api.json(
      `/threads/${thread}/activity?after=${next}&limit=500`,
    )
    entries.push(...page.entries)
    next = page.next
  }
  call.show({ thread, entries }, () => entries.map((entry) => entryText(entry, call.terminal)).join(''))
}

function entryText(
  { version, at, actor, source, tool, reasoning, summary, formerTexts = [] }: ActivityEntry,
  terminal: Terminal,
): string {
  const who = oneLine(actor.name) || (actor.kind === 'system' ? 'the server' : 'somebody')
  const how = tool === '' ? source : `${source} ${tool}`
  const head = `${terminal.paint('bold', `v${version}`)}  ${terminal.paint('dim', timeText(at))}  ${terminal.paint('cyan', who)} (${how})`
  const why = reasoning === '' ? '' : terminal.paint('dim', `    ${oneLine(reasoning)}\n`)
  const former = formerTexts.map(({ field, text, fate }) => {
    const what = fate === 'replaced' ? `the ${field} before` : `the ${field} that gave way`
    return terminal.paint('dim', `    ${what}: ${oneLine(text)}\n`)
  })
  return `${head}  ${oneLine(summary)}\n${why}${former.join('')}`
}
