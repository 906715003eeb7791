import type { z } from 'zod'
import type { Actor } from '../schema/actor.ts'
import type { GroupId, StepId } from '../schema/ids.ts'
import type { PlanOperation } from '../schema/operation.ts'
import type { Step } from '../schema/plan.ts'
import type { StepChange } from '../plan/changes.ts'
import type { History } from '../plan/history.ts'
import type { Plan } from '../plan/plan.ts'
import type { Reading } from './reading/reading.ts'

/** What one actor was last shown: the plan at a version, and which of its texts were printed to it. */
export interface View {
  readonly version: number
  readonly plan: Plan
  /** Steps whose text was never printed to the actor, nor written by it. */
  readonly unseen: ReadonlySet<StepId>
  /** Steps of which it was not told where they stand in this plan. */
  readonly unplaced: ReadonlySet<StepId>
  /** Steps that the last listing or block left out, seen before or not. */
  readonly folded: ReadonlySet<StepId>
  /** Steps that were printed to the actor, or written by it, while others changed the plan: as they were then. */
  readonly later: ReadonlyMap<StepId, Step>
}

/** All that a tool may look at. It never sees a document, a socket or a clock. */
export interface CallContext {
  readonly actor: Actor
  readonly plan: Plan
  readonly version: number
  /** null: this actor has never looked. */
  readonly view: View | null
  /** It has looked, but so long ago that what it saw is not known any more. */
  readonly forgotten?: boolean
  /** The places that replies told it since its view, by step. */
  readonly places: ReadonlyMap<StepId, number>
  /** The versions of which it knows all places, as ranges, the earliest first. */
  readonly known: readonly (readonly [from: number, to: number])[]
  /** The steps that it has had in a whole list of its own. */
  readonly listed: ReadonlySet<StepId>
  /** What it wrote of a step in its last list that did not count, since somebody else had changed that. */
  readonly overruled: ReadonlyMap<StepId, ListedValues>
  /** Its last whole list, in its order; null if it has seen the plan's own since, or never wrote one. */
  readonly lastList: readonly StepId[] | null
  /** What it knew when it sent this call, if a reply to an earlier one had not left by then. */
  readonly sentWith?: SentWith
  readonly history: History
  /** The contents of the file that the call names, or why it could not be read; absent if it names none. */
  readonly file?: { readonly text: string } | { readonly error: string }
  readonly newStepId: () => StepId
  readonly newGroupId: () => GroupId
}

/** What a whole list can say of a step. */
export type ListedValues = Partial<Pick<Step, 'text' | 'status' | 'details' | 'required'>>

/** A whole list that was written: what its writer knows of the plan by that. */
export interface WrittenList {
  readonly listed: readonly StepId[]
  /** It was no whole list, so what is in it is not taken over. */
  readonly isPart: boolean
  /** All steps that it had seen before, each as it saw it. */
  readonly seen: ReadonlyMap<StepId, Step>
  readonly overruled: ReadonlyMap<StepId, ListedValues>
}

/** A part of the plan that was printed. */
export interface PrintedPart {
  readonly printed: readonly StepId[]
  /** It is a listing of its own, which leaves the rest out of sight, and not the reply to a change, nor a further page. */
  readonly isListing: boolean
  /** Nothing but the size kept the rest out: its reader has looked at the plan as it is now. */
  readonly isWhole: boolean
  /** The places of the printed steps stand there as well. */
  readonly places: boolean
}

/** What an actor knew at a version. */
export type SentWith = Pick<CallContext, 'version' | 'view' | 'places'>

/** What a reply prints: all places of the plan, which moves the caller's view, a part of it, or the texts of some steps. */
export type Prints = 'plan' | PrintedPart | readonly StepId[] | WrittenList

/** A call that changes nothing, and why: what was wrong, what is valid, the next call to make. */
export interface Refusal {
  readonly refused: string
  /** The refusal prints the plan with its places, and so moves the caller's view. */
  readonly prints?: Prints
  readonly notes?: readonly string[]
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** What a call does, and what came of it once it was done. */
export interface Decision<Outcome extends JsonObject> {
  readonly operations: readonly PlanOperation[]
  readonly notes: readonly string[]
  /** Made from the plan after the change, never from the request. */
  readonly outcome: (after: Plan) => Outcome
  readonly prints?: Prints | ((after: Plan) => Prints)
  /** Counts as a version even if it changes nothing. */
  readonly alwaysCounts?: boolean
  /** What only shows once it is done, or null. */
  readonly noteAfter?: (after: Plan) => string | null
  /** The reply says which places its new steps have, and which of those that the caller knew have moved. */
  readonly tellsPlaces?: boolean
  /** Steps that the caller named in another way, and that the reply calls by their places. */
  readonly calledByPlace?: readonly StepId[]
}

/** What surrounds an outcome or a refusal in the reply. */
export interface Situation {
  readonly plan: Plan
  readonly version: number
  readonly notes: readonly string[]
  /** What others did since this actor was last told, or null. */
  readonly digest: string | null
}

/** A reply in the dialect's own fields, and the text that the model should be shown. */
export interface Rendered {
  readonly text: string
  readonly fields: JsonObject
}

export interface ToolEffects {
  readonly readOnly: boolean
  /** May take away what is there. */
  readonly destructive: boolean
  /** Doing it twice is doing it once. */
  readonly idempotent: boolean
}

export interface ToolDefinition<Shape extends z.ZodObject, Outcome extends JsonObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: Shape
  /** A call that works, for errors that teach. */
  readonly example: JsonObject
  readonly effects: ToolEffects
  /** Whether a reply prints all places of the plan, and so moves the caller's view. */
  readonly printsPlan: boolean
  /** The reply has no digest: what others did waits for the next one. */
  readonly leavesNews?: true
  /** Puts arguments that came in another shape into that of `parameters`, before they are read. */
  readonly reshape?: (raw: unknown, reading: Reading) => unknown
  /** A file that the arguments name, to be read before the tool decides. */
  readonly fileOf?: (args: z.infer<Shape>) => string | undefined
  readonly decide: (args: z.infer<Shape>, context: CallContext) => Decision<Outcome> | Refusal
  readonly render: (outcome: Outcome, situation: Situation) => Rendered
}

/** A tool whose arguments and outcome are its own business. */
export interface Tool extends Omit<ToolDefinition<z.ZodObject, JsonObject>, 'decide' | 'render' | 'fileOf'> {
  readonly fileOf: (args: Readonly<Record<string, unknown>>) => string | undefined
  /** @param args as its `parameters` parsed them */
  readonly decide: (args: Readonly<Record<string, unknown>>, context: CallContext) => Decision<JsonObject> | Refusal
  /** @param outcome as `decide` made it, perhaps read back from storage */
  readonly render: (outcome: JsonObject, situation: Situation) => Rendered
}

export function defineTool<Shape extends z.ZodObject, Outcome extends JsonObject>(
  definition: ToolDefinition<Shape, Outcome>,
): Tool {
  return {
    ...definition,
    // Only what `parameters` parsed and what `decide` returned comes back in here.
    fileOf: (args) => definition.fileOf?.(args as z.infer<Shape>),
    decide: (args, context) => definition.decide(args as z.infer<Shape>, context),
    render: (outcome, situation) => definition.render(outcome as Outcome, situation),
  }
}

/** A published tool set, as a way to read and change any plan. */
export interface Dialect {
  readonly name: string
  readonly tools: readonly Tool[]
  readonly refuse: (message: string, situation: Situation) => Rendered
  /** The block for a prompt; steps that are folded are counted in it, not printed. */
  readonly block: (plan: Plan, version: number, folded?: ReadonlySet<StepId>) => string
  /** How a living step is called, such as `#3`. */
  readonly nameStep: (plan: Plan, id: StepId) => string
  /** How a removed step was called. */
  readonly nameRemoved: (change: StepChange) => string
}
