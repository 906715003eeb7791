import { LocalPlan } from '../../client/sdk/local-plan.ts'
import { PlanCaller } from '../../client/sdk/plan-caller.ts'
import { checklist } from '../../shared/dialects/checklist.ts'
import type { Tool } from '../../shared/dialects/dialect.ts'
import { outline } from '../../shared/dialects/outline.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { ChecklistDriver } from '../dialects/checklist-cases.ts'

const TOOLS = new Map<string, Tool>([...checklist.tools, ...outline.tools].map((tool) => [tool.name, tool]))

/** Several callers on a plan without a server. */
export function localChecklist(host = new LocalPlan()): ChecklistDriver & { readonly host: LocalPlan } {
  const caller = new PlanCaller(host, checklist)
  return {
    host,
    call: async (name, args, actor = '') => {
      const tool = TOOLS.get(name)
      if (tool === undefined) throw new Error(`there is no tool ${name}`)
      const who: Actor = { id: actor, name: actor, kind: actor === 'Ann' ? 'human' : 'agent' }
      return caller.call(tool, args, who)
    },
    block: async () => checklist.block(host.plan, host.version),
  }
}
