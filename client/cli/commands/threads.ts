import type { ThreadInfo } from '../../../server/rooms/storage.ts'
import { Api } from '../api.ts'
import type { Call } from '../command.ts'
import { timeText } from '../terminal.ts'

export async function run(call: Call): Promise<void> {
  const api = new Api(call)
  const threads: ThreadInfo[] = []
  for (let after: string | null = ''; after !== null;) {
    const query: string = new URLSearchParams({ after, limit: '500' }).toString()
    const page: { threads: ThreadInfo[]; next: string | null } = await api.json(`/threads?${query}`)
    threads.push(...page.threads)
    after = page.next
  }
  if (call.flag('names')) {
    const names = threads.map(({ thread }) => thread)
    return call.show(names, () => names.map((name) => `${name}\n`).join(''))
  }
  const { terminal } = call
  call.show({ threads }, () => {
    if (threads.length === 0) return 'There are no plans yet.\n'
    const width = Math.max(...threads.map(({ thread }) => thread.length))
    return threads
      .map(({ thread, version, updatedAt }) => {
        const changes = `${version} ${version === 1 ? 'change' : 'changes'}`
        return `${terminal.paint('bold', thread.padEnd(width))}  ${changes.padEnd(14)}  ${terminal.paint('dim', timeText(updatedAt))}\n`
      })
      .join('')
  })
}
