import type { LivePlan } from '../sdk/live-plan.ts'
import { connectPlan } from '../sdk/live-plan.ts'
import type { PlanStatus } from '../sdk/events.ts'
import { callerName, serverUrl, tokenOf } from './api.ts'
import { type Call, CliError, EXIT } from './command.ts'

/** Follows a plan as this command line says. */
export function connect(call: Call, thread: string): LivePlan {
  const token = tokenOf(call)
  return connectPlan({
    url: serverUrl(call),
    thread,
    name: callerName(call),
    ...(token === undefined ? {} : { token }),
  })
}

/** What a plan that will never be online again is to a script; null for one that may be. */
export function endOf(status: PlanStatus): CliError | null {
  if (status.kind === 'deleted') return new CliError('The thread was deleted.', EXIT.notFound)
  if (status.kind !== 'refused') return null
  const isAccess = status.code === 4401 || status.code === 4403
  return new CliError(`The server refuses: ${status.why} (${status.code}).`, isAccess ? EXIT.notAllowed : EXIT.refused)
}

export function statusText(status: PlanStatus, url: string): string {
  if (status.kind === 'online') return `live at ${url}`
  if (status.kind === 'refused') return `${status.why} (${status.code})`
  return status.kind === 'deleted' ? 'the thread was deleted' : status.kind
}
