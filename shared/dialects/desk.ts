import type { StepChange } from '../plan/changes.ts'
import { isEmpty } from '../plan/check.ts'
import type { PlanChange } from '../plan/draft.ts'
import type { History } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Actor } from '../schema/actor.ts'
import type { StepId } from '../schema/ids.ts'
import { newGroupId, newStepId } from '../schema/ids.ts'
import type { Outcome, ToolReply } from './call.ts'
import { acceptedReply, news, prepareCall, refusedReply } from './call.ts'
import type { CallContext, Dialect, Prints, SentWith, Situation, Tool } from './dialect.ts'
import { fitBlock } from './fit.ts'
import { Views } from './views.ts'
import { visible } from './visible.ts'

/** The plan that a desk serves, as it stands whenever it is asked. */
export interface DeskPlan {
  readonly plan: Plan
  readonly version: number
  readonly history: History
}

export interface DeskCall {
  readonly tool: Tool
  readonly dialect: Dialect
  /** As they came: read leniently here. */
  readonly args: unknown
  readonly actor: Actor
  /** The file that the arguments name, if they name one. */
  readonly file?: CallContext['file']
  /** What the actor knew when it sent the call, if a reply to an earlier one had not left by then. */
  readonly sentWith?: SentWith | undefined
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * Writes a change that was checked, and gives `finish` what it changed.
 * @returns what `finish` gave, or why the plan cannot take it
 */
export type Commit = (
  change: PlanChange,
  reasoning: string,
  finish: (changes: readonly StepChange[]) => Outcome,
) => Outcome | { readonly refused: string }

/** Where tools are called: it knows what each caller was shown, and tells each what the others did. */
export class ToolDesk {
  readonly views: Views
  readonly #plan: DeskPlan

  constructor(plan: DeskPlan, views = new Views()) {
    this.#plan = plan
    this.views = views
  }

  call({ tool, dialect, args, actor, file, sentWith, at }: DeskCall, commit: Commit): ToolReply {
    const prepared = prepareCall(tool, args, this.#context(actor, file, sentWith), { by: actor.name, at })
    const refuse = (message: string, notes: readonly string[]): ToolReply =>
      refusedReply(dialect, message, {
        ...this.#situation(tool, dialect, actor, [message, ...notes].join('\n')),
        notes,
      })
    if (prepared.kind === 'refused') {
      const refusal = refuse(prepared.message, prepared.notes)
      this.#printed(actor, prepared.prints ?? [], null)
      return refusal
    }
    const { change, alwaysCounts, reasoning, prints } = prepared
    const finish = (changes: readonly StepChange[]): Outcome => prepared.finish(this.#plan.plan, changes)
    const outcome = isEmpty(change) && !alwaysCounts ? finish([]) : commit(change, reasoning, finish)
    if ('refused' in outcome) return refuse(outcome.refused, [])
    const reply = acceptedReply(tool, outcome, this.#situation(tool, dialect, actor))
    this.#printed(actor, typeof prints === 'function' ? prints(this.#plan.plan) : prints, prepared.told)
    return reply
  }

  /** What an actor knows by a reply. @param told the places that it tells; null for a refusal, which changes nothing */
  #printed(actor: Actor, prints: Prints, told: (() => ReadonlyMap<StepId, number> | null) | null): void {
    const { plan, version, history } = this.#plan
    if (prints === 'plan') return this.views.shown(actor, version, plan)
    if ('listed' in prints) return this.views.wrote(actor, version, plan, prints)
    if (told !== null) {
      this.views.answered(actor, version, plan, history)
      const places = told()
      if (places !== null) this.views.toldPlaces(actor, version, plan, places)
    }
    if ('printed' in prints) return this.views.shownPart(actor, version, plan, prints)
    this.views.printed(
      actor,
      version,
      prints.flatMap((id) => plan.step(id) ?? []),
    )
  }

  /** The reply to a call that was made before. */
  replay(tool: Tool, dialect: Dialect, actor: Actor, outcome: Outcome): ToolReply {
    return { ...acceptedReply(tool, outcome, this.#situation(tool, dialect, actor)), replayed: true }
  }

  /** The block for a prompt, folded to fit if a limit is given; its reader has looked. */
  block(dialect: Dialect, reader: Actor, maxTokens?: number): string {
    const { plan, version } = this.#plan
    const { text, folded } = fitBlock(dialect, plan, version, maxTokens)
    // A dialect that has nothing to say of a plan has shown nothing of it.
    if (text !== '' || plan.steps.length === 0) {
      const printed = plan.steps.flatMap(({ id }) => (folded.has(id) ? [] : [id]))
      this.views.shownPart(reader, version, plan, { printed, isListing: true, isWhole: true, places: true })
    }
    return visible(text)
  }

  /** What an actor knows now. */
  knowledge(actor: Actor): SentWith {
    const { version } = this.#plan
    const { view, places } = this.views.of(actor, version)
    return { version, view, places }
  }

  #context(actor: Actor, file: CallContext['file'], sentWith: SentWith | undefined): CallContext {
    const { plan, version, history } = this.#plan
    const { view, forgotten, places, known, listed, overruled, lastList } = this.views.of(actor, version)
    const memory = { view, forgotten, places, known, listed, overruled, lastList }
    const context = { actor, plan, version, ...memory, history, newStepId, newGroupId }
    return {
      ...context,
      ...(file === undefined ? {} : { file }),
      ...(sentWith === undefined ? {} : { sentWith }),
    }
  }

  /** How things stand, with what others did since the actor was last told: it is told with this reply, and not again. */
  #situation(tool: Tool, dialect: Dialect, actor: Actor, said = ''): Omit<Situation, 'notes'> {
    const { plan, version, history } = this.#plan
    if (tool.leavesNews === true) return { plan, version, digest: null }
    const { told } = this.views.of(actor, version)
    const digest = told === version ? null : news({ actor, history }, told, plan, dialect, said)
    this.views.told(actor, version)
    return { plan, version, digest }
  }
}
