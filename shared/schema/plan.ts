import { z } from 'zod'
import type { GroupId, StepId } from './ids.ts'
import { isGroupId, isStepId } from './ids.ts'

// Without a type of their own they would be anything in a JSON Schema.
const stepId = z.custom<StepId>(isStepId).meta({ type: 'string' })
const groupId = z.custom<GroupId>(isGroupId).meta({ type: 'string' })

export const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled', 'blocked'] as const
export const Status = z.enum(STATUSES)
export type Status = z.infer<typeof Status>

/** Who holds a step, until when (milliseconds since 1970), and the token that proves it. */
export const Claim = z.object({ holder: z.string(), token: z.string(), until: z.number() })
export type Claim = Readonly<z.infer<typeof Claim>>

/** What a step waits for: another step, living or removed, or a name that fits no step yet. */
export type DependencyTarget = { readonly step: StepId } | { readonly name: string }
/** A dependency as it is read, with its rank in the list (ranks grow, but need not be dense). */
export const Dependency = z.union([
  z.object({ step: stepId, rank: z.number() }),
  z.object({ name: z.string(), rank: z.number() }),
])
export type Dependency = Readonly<z.infer<typeof Dependency>>

export const Step = z.object({
  id: stepId,
  /** Given by the server; null until it has. */
  number: z.number().int().nullable(),
  text: z.string(),
  details: z.string(),
  status: Status,
  /** The nearest living ancestor. */
  parent: stepId.nullable(),
  /** 0 at top level. */
  depth: z.number().int(),
  /** The step's own group, not one that it inherits. */
  group: groupId.nullable(),
  required: z.boolean(),
  /** An id that a caller gave. */
  alias: z.string().nullable(),
  startedBy: z.string().nullable(),
  claim: Claim.nullable(),
  dependencies: z.array(Dependency),
  createdBy: z.string(),
  /** Milliseconds since 1970, by the writer's clock. */
  createdAt: z.number(),
  updatedBy: z.string(),
  updatedAt: z.number(),
})
type StepShape = z.infer<typeof Step>
export type Step = Readonly<Omit<StepShape, 'dependencies'>> & { readonly dependencies: readonly Dependency[] }

export const Group = z.object({ id: groupId, title: z.string(), testsVerified: z.boolean() })
export type Group = Readonly<z.infer<typeof Group>>

/** A plan as JSON: the answer of GET /threads/:thread. */
export const PlanSnapshot = z.object({
  thread: z.string(),
  version: z.number().int(),
  title: z.string(),
  steps: z.array(Step),
  groups: z.array(Group),
})
export type PlanSnapshot = z.infer<typeof PlanSnapshot>
