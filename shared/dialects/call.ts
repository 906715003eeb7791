import { PlanError } from '../schema/errors.ts'
import type { StepId } from '../schema/ids.ts'
import { MAX_CHANGED, MAX_REASONING } from '../schema/limits.ts'
import type { Stamp } from '../schema/operation.ts'
import type { StepChange } from '../plan/changes.ts'
import { checkOperations } from '../plan/check.ts'
import type { PlanChange } from '../plan/draft.ts'
import type { Plan } from '../plan/plan.ts'
import { coerce } from './coerce.ts'
import type { CallContext, Dialect, Json, JsonObject, Prints, Situation, Tool } from './dialect.ts'
import { digest } from './digest.ts'
import { cut } from './lines.ts'
import { changedFromPeople } from './people.ts'
import { Reading } from './reading/reading.ts'
import { tellPlaces } from './told-places.ts'
import { visible } from './visible.ts'
import { wrongArguments } from './wrong-arguments.ts'

/** A call's reply as JSON: over HTTP, in the SDK, and stripped to `text` for a model. */
export type ToolReply = JsonObject & {
  readonly success: boolean
  /** Exactly what the model should be shown. */
  readonly text: string
  readonly version: number
}

/** All of a reply that does not depend on how the plan stands when it is read again. */
export type Outcome = {
  readonly outcome: JsonObject
  readonly notes: readonly string[]
  readonly changed: readonly StepId[]
}

/** A call that was read, validated and tried on the plan. Nothing is written yet. */
export type PreparedCall = {
  readonly reasoning: string
} & (
  | { readonly kind: 'refused'; readonly message: string; readonly notes: readonly string[]; readonly prints?: Prints }
  | {
      readonly kind: 'accepted'
      readonly change: PlanChange
      /** Counts as a version even if it changes nothing. */
      readonly alwaysCounts: boolean
      /** What the reply prints: see `Decision`. */
      readonly prints: Prints | ((after: Plan) => Prints)
      /** The places that the reply tells, by step, once it is finished; null for none. */
      readonly told: () => ReadonlyMap<StepId, number> | null
      /** What came of it, from the plan after the change. */
      readonly finish: (after: Plan, changes: readonly StepChange[]) => Outcome
    }
)

/** Reads arguments leniently, validates them, lets the tool decide, and tries what it decided. Never throws. */
export function prepareCall(tool: Tool, raw: unknown, context: CallContext, stamp: Stamp): PreparedCall {
  const reading = new Reading()
  const read = coerceArguments(tool, raw, reading)
  const parsed = tool.parameters.safeParse(read, { reportInput: true })
  const { notes, problems } = reading
  const issues = parsed.error?.issues ?? []
  if (!parsed.success || problems.length > 0) {
    const message = wrongArguments(tool, { issues, problems, read }, context.plan)
    return { kind: 'refused', message, notes, reasoning: '' }
  }
  const { action_and_reasoning: said, ...args } = parsed.data
  const reasoning = typeof said === 'string' ? cut(said, MAX_REASONING) : ''
  const decision = tool.decide(args, context)
  if ('refused' in decision)
    return {
      kind: 'refused',
      message: decision.refused,
      notes: [...notes, ...(decision.notes ?? [])],
      reasoning,
      ...(decision.prints === undefined ? {} : { prints: decision.prints }),
    }
  try {
    const change = checkOperations(context.plan, decision.operations, stamp)
    let told: ReadonlyMap<StepId, number> | null = null
    return {
      kind: 'accepted',
      change,
      alwaysCounts: decision.alwaysCounts === true,
      prints: decision.prints ?? (tool.printsPlan ? 'plan' : []),
      reasoning,
      told: () => told,
      finish: (after, changes) => {
        const telling =
          decision.tellsPlaces === true ? tellPlaces(changes, after, context, decision.calledByPlace) : null
        told = telling?.places ?? null
        const late = [...(telling?.notes ?? []), decision.noteAfter?.(after), changedFromPeople(changes, context)]
        return {
          outcome: decision.outcome(after),
          notes: [...notes, ...decision.notes, ...late.filter((note) => typeof note === 'string')],
          changed: changes.slice(0, MAX_CHANGED).map(({ id }) => id),
        }
      },
    }
  } catch (error) {
    if (error instanceof PlanError)
      return { kind: 'refused', message: `${error.message} Nothing was changed.`, notes, reasoning }
    throw error
  }
}

const coerceArguments = (tool: Tool, raw: unknown, reading: Reading): unknown =>
  coerce(tool.parameters, tool.reshape?.(raw ?? {}, reading) ?? raw ?? {}, '', reading)

/** The file that a call names, to be read before it is made; undefined for none. */
export function fileNamed(tool: Tool, raw: unknown): string | undefined {
  const parsed = tool.parameters.safeParse(coerceArguments(tool, raw, new Reading()))
  return parsed.success ? tool.fileOf(parsed.data) : undefined
}

/** The reply to a call that was accepted, now or earlier under the same key. */
export function acceptedReply(
  tool: Tool,
  { outcome, notes, changed }: Outcome,
  now: Omit<Situation, 'notes'>,
): ToolReply {
  const { text, fields } = tool.render(outcome, { ...now, notes })
  return reply(true, text, fields, { ...now, notes }, changed)
}

export function refusedReply(dialect: Dialect, message: string, situation: Situation): ToolReply {
  const { text, fields } = dialect.refuse(message, situation)
  return reply(false, text, fields, situation, [])
}

function reply(
  success: boolean,
  text: string,
  fields: JsonObject,
  { plan, version, notes, digest: others }: Situation,
  changed: readonly StepId[],
): ToolReply {
  const steps = changed.map((id): Json => {
    const step = plan.step(id)
    return step === undefined
      ? { id, removed: true }
      : { id, index: plan.placeOf(id), number: step.number, text: step.text, status: step.status }
  })
  // What is for the model hides nothing from it; lists for programs hold the texts as they are.
  const words = Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? visible(value) : value])
  return {
    success,
    text: visible(text),
    ...(Object.fromEntries(words) as JsonObject),
    version,
    ...(steps.length > 0 ? { changed: steps } : {}),
    ...(notes.length > 0 ? { notes: notes.map(visible) } : {}),
    ...(others === null ? {} : { digest: visible(others) }),
  }
}

/** What others did since this actor was last told, but for what the reply says already; says so where the memory of it does not reach back. */
export function news(
  context: Pick<CallContext, 'actor' | 'history'>,
  since: number,
  plan: Plan,
  dialect: Dialect,
  said: string,
): string | null {
  const { history, actor } = context
  const entries = history.since(since)
  const earlier = history.since(history.start) ?? []
  if (entries !== null) return digest(entries, actor.id, plan, dialect, undefined, { said, earlier })
  const rest = digest(earlier, actor.id, plan, dialect, undefined, { said, earlier })
  return [
    'changes before version ' + String(history.start + 1) + ' are too far back to tell: list again',
    ...(rest === null ? [] : [rest]),
  ].join('; ')
}
