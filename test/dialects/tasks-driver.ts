import * as Y from 'yjs'
import { Views } from '../../shared/dialects/views.ts'
import type { ToolReply } from '../../shared/dialects/call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from '../../shared/dialects/call.ts'
import type { Dialect } from '../../shared/dialects/dialect.ts'
import { outline } from '../../shared/dialects/outline.ts'
import { tasks } from '../../shared/dialects/tasks.ts'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import { History } from '../../shared/plan/history.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import { settle } from '../../shared/plan/settle.ts'
import type { Actor } from '../../shared/schema/actor.ts'
import type { GroupId, StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'

/** What the cases of this dialect need of a plan, whatever way leads to it. */
export interface TasksDriver {
  /** @param actor the caller's name; a caller without one where it is left out */
  call(tool: string, args: unknown, actor?: string): Promise<ToolReply>
  /** The block for a prompt of the caller without a name. */
  block(): Promise<string>
}

/** The functions alone, on a document that nobody else has. */
export interface PureTasks extends TasksDriver {
  readonly plan: Plan
  readonly version: number
  /** Changes the plan in a way for which there is no tool here. */
  apply(operations: readonly PlanOperation[], actor?: string): void
  /** As an offline copy does it: nobody numbers what is new. */
  settles: boolean
}

/** What can be read below the operator's folder. */
const FILES: Readonly<Record<string, string>> = { 'plan.md': '## backend\n- [ ] From a file\n' }

const DIALECTS = [tasks, outline]

export function openTasks(): PureTasks {
  const doc = new Y.Doc()
  const reader = new PlanReader(doc)
  const history = new History(0)
  const views = new Views()
  let ids = 0
  const newId = (kind: string): string => `${String(++ids).padStart(8, '0')}-${kind}`

  function record(by: Actor, write: () => void, before: Plan) {
    write()
    if (driver.settles) settle(doc, reader, null)
    return history.record(by, before, reader.plan).changes
  }

  function call(name: string, args: unknown, who: string): ToolReply {
    const actor: Actor = { id: who, name: who, kind: 'agent' }
    const { tool, dialect } = toolNamed(name)
    const { plan } = reader
    const { version } = history
    const { view, forgotten } = views.of(actor, version)
    const file = fileFor(args)
    const context = {
      actor,
      plan,
      version,
      view,
      forgotten,
      history,
      ...(file === undefined ? {} : { file }),
      newStepId: () => newId('step') as StepId,
      newGroupId: () => newId('group') as GroupId,
    }
    const situation = () => {
      const { told } = views.of(actor, history.version)
      const digest = told === history.version ? null : news({ actor, history }, told, reader.plan, dialect)
      views.told(actor, history.version)
      return { plan: reader.plan, version: history.version, digest }
    }
    const prepared = prepareCall(tool, args, context, { by: actor.name, at: 1_000 + ids })
    if (prepared.kind === 'refused')
      return refusedReply(dialect, prepared.message, { ...situation(), notes: prepared.notes })
    const { change, prints, finish } = prepared
    const changes = isEmpty(change) ? [] : record(actor, () => applyChange(doc, change, 'test'), plan)
    // As if it was stored and read back.
    const outcome = JSON.parse(JSON.stringify(finish(reader.plan, changes))) as ReturnType<typeof finish>
    const reply = acceptedReply(tool, outcome, situation())
    if (prints === 'plan') views.shown(actor, history.version, reader.plan)
    else {
      views.answered(actor, history.version, reader.plan, history)
      views.printed(
        actor,
        history.version,
        prints.flatMap((id) => reader.plan.step(id) ?? []),
      )
    }
    return reply
  }

  const driver = {
    settles: true,
    get plan() {
      return reader.plan
    },
    get version() {
      return history.version
    },
    apply: (operations: readonly PlanOperation[], who = 'somebody') => {
      const change = checkOperations(reader.plan, operations, { by: who, at: 1 })
      record({ id: who, name: who, kind: 'agent' }, () => applyChange(doc, change, 'test'), reader.plan)
    },
    call: (name: string, args: unknown, actor = '') => Promise.resolve().then(() => call(name, args, actor)),
    block: () => {
      views.shown({ id: '', name: '', kind: 'agent' }, history.version, reader.plan)
      return Promise.resolve(tasks.block(reader.plan, history.version))
    },
  }
  return driver
}

function toolNamed(name: string) {
  for (const dialect of DIALECTS as readonly Dialect[])
    for (const tool of dialect.tools) if (tool.name === name) return { tool, dialect }
  throw new Error(`there is no tool ${name}`)
}

function fileFor(args: unknown): { text: string } | { error: string } | undefined {
  const path = typeof args === 'object' && args !== null && 'path' in args ? String(args.path) : ''
  if (path === '') return undefined
  const text = FILES[path]
  return text === undefined ? { error: `there is no file ${path}` } : { text }
}
