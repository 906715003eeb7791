import type { PlanSnapshot } from '../../../shared/schema/plan.ts'
import { Api, threadOf } from '../api.ts'
import type { Call } from '../command.ts'
import { doneText, planLines } from '../plan-text.ts'

export async function run(call: Call): Promise<void> {
  const thread = threadOf(call, 0)
  const plan = await new Api(call).json<PlanSnapshot>(`/threads/${thread}`)
  call.show(plan, () => {
    const { version, steps } = plan
    const heading = call.terminal.paint('dim', `${thread} · version ${version} · ${doneText(steps)}`)
    return `${[heading, '', ...(steps.length === 0 ? ['(no steps yet)'] : planLines(plan, call.terminal))].join('\n')}\n`
  })
}
