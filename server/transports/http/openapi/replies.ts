import { z } from 'zod'
import { TASK_STATUSES } from '../../../../shared/dialects/tasks/shape.ts'
import type { Dialect, Tool } from '../../../../shared/dialects/dialect.ts'
import { WORDED } from '../../../../shared/plan/former-texts.ts'
import { Actor } from '../../../../shared/schema/actor.ts'
import type { StepId } from '../../../../shared/schema/ids.ts'
import { isStepId } from '../../../../shared/schema/ids.ts'
import { MAX_CHANGED, MAX_LISTED_PEOPLE } from '../../../../shared/schema/limits.ts'
import { Status, Step } from '../../../../shared/schema/plan.ts'
import type { ActivityEntry, ThreadInfo } from '../../../rooms/storage.ts'

const milliseconds = z.int().describe('Milliseconds since 1970.')

/** A step that a call changed. */
const ChangedStep = z.union([
  z.object({
    id: z.string(),
    index: z.int().nullable().describe('Its place in the plan, counted from 1.'),
    number: z.int().nullable().describe('The number that the server gave it.'),
    text: z.string(),
    status: Status,
  }),
  z.object({ id: z.string(), removed: z.literal(true) }),
])

/** What every reply has. */
const COMMON = {
  text: z.string().describe('Exactly what the model should be shown.'),
  version: z.int().describe('The version of the plan after the call; `rev` takes it.'),
  changed: z.array(ChangedStep).max(MAX_CHANGED).optional(),
  notes: z.array(z.string()).optional().describe('How arguments were read, and what else to know.'),
  digest: z.string().optional().describe('What others did since this caller was last told.'),
}

/** The reply of a tool whose accepted and refused calls have these fields of their own. */
function replyWith(accepted: z.ZodRawShape, refused: z.ZodRawShape) {
  return z.union([
    z
      .object({
        success: z.literal(true),
        ...COMMON,
        ...accepted,
        replayed: z
          .literal(true)
          .optional()
          .describe('The call was done before, under the same Idempotency-Key: this is what came of it then.'),
      })
      .describe('The call was done.'),
    z
      .object({ success: z.literal(false), ...COMMON, ...refused })
      .describe('The call was refused, and changed nothing. The text says why, and what to do instead.'),
  ])
}

const summary = z.string().describe('What was done, why not, or the plan.')
const error = z.string().describe('What was wrong.')
const cursor = z
  .string()
  .optional()
  .describe('Where the plan was too long for the reply: what `cursor` takes to go on.')

const groups = z
  .array(
    z.object({
      title: z.string(),
      items: z.array(
        z.object({
          id: z.string().describe('Such as task-3.'),
          description: z.string(),
          status: z.enum(TASK_STATUSES),
          depends_on: z.array(z.string()),
        }),
      ),
      tests_verified: z.boolean(),
    }),
  )
  .describe('The groups, each with its tasks.')
const nags = z.array(z.object({ message: z.string() })).describe('Advice; what was asked for was done.')
const todos = z
  .array(
    z.object({
      content: z.string(),
      status: Status,
      description: z.string().optional(),
      id: z.string().describe('`t` and the place in the list, or the name that a caller gave.'),
      required: z.boolean(),
      updated_by: z.string().optional(),
      updated_at: z.string().describe('ISO 8601, UTC.'),
    }),
  )
  .describe('The list after the call.')

const OutlineReply = replyWith({ summary, cursor }, { summary })
const TaskGroupsReply = replyWith({ groups, nags, cursor }, { error })
const TaskListReply = replyWith({ list: z.object({ groups }), nags, cursor }, { error })
const TaskLoadReply = replyWith({}, { error })
const ChecklistReply = replyWith({ todos, cursor }, { error })

/** Under their names in the document. */
export const REPLY_SCHEMAS = {
  OutlineReply,
  TaskGroupsReply,
  TaskListReply,
  TaskLoadReply,
  ChecklistReply,
  ChangedStep,
} as const

/** What each tool, or else each tool of a dialect, replies. */
const REPLIES: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['outline', OutlineReply],
  ['plan_todo_read', TaskGroupsReply],
  ['plan_todo_write', TaskListReply],
  ['plan_todo_edit', TaskListReply],
  ['plan_todo_cross_off', TaskListReply],
  ['plan_load_from_md', TaskLoadReply],
  ['checklist', ChecklistReply],
])

/** @throws Error for a tool whose replies nobody described: a programming error, found by the tests */
export function replyOf(dialect: Dialect, tool: Tool): z.ZodType {
  const reply = REPLIES.get(tool.name) ?? REPLIES.get(dialect.name)
  if (reply === undefined) throw new Error(`The replies of ${tool.name} are not described.`)
  return reply
}

export const Thread = z.object({
  thread: z.string(),
  version: z.int(),
  createdAt: milliseconds,
  updatedAt: milliseconds,
  title: z.string().describe("'' where nobody gave one."),
  progress: z
    .object({ completed: z.int(), active: z.int(), blocked: z.int(), total: z.int() })
    .nullable()
    .describe('How far it is; a cancelled step does not count. Null where it is not known before the next change.'),
  people: z
    .array(z.object({ name: z.string(), kind: z.enum(['agent', 'human']) }))
    .max(MAX_LISTED_PEOPLE)
    .describe('Who is there now.'),
}) satisfies z.ZodType<Omit<ThreadInfo, 'thread' | 'outlook'>>

export const ActivityItem = z.object({
  version: z.int(),
  at: milliseconds,
  actor: Actor,
  source: z.enum(['http', 'mcp', 'ws', 'server']).describe('How the change came in.'),
  tool: z.string().describe("The tool that was called, or '' for an edit over a socket."),
  reasoning: z.string().describe("What the caller said it was doing and why, or ''."),
  summary: z.string().describe('What changed, in a line.'),
  formerTexts: z
    .array(
      z.object({
        step: z.custom<StepId>(isStepId),
        field: z.enum(WORDED),
        text: z.string().describe('As it was; dependencies by their names.'),
        fate: z
          .enum(['replaced', 'outrun'])
          .describe("'replaced': it stood in the plan before. 'outrun': this change brought it, and another's stands."),
      }),
    )
    .exactOptional()
    .describe('The words that it replaced or brought in vain, at most 64 Ki characters; absent where there are none.'),
}) satisfies z.ZodType<ActivityEntry>

export const ThreadPage = z.object({
  threads: z.array(Thread),
  next: z.string().nullable().describe('What `after` takes for the next page; null at the end.'),
})
export const Pending = z.object({
  pending: z.boolean().describe('Whether any step is neither completed nor cancelled.'),
  open: z.int().describe('How many.'),
  active: z.string().nullable().describe('The text of the first step in progress.'),
  version: z.int(),
})
export const VersionChanges = z.object({
  version: z.int(),
  changes: z
    .array(z.object({ id: z.string(), before: Step.nullable(), after: Step.nullable() }))
    .max(MAX_CHANGED)
    .nullable()
    .describe('Null where it is not remembered any more: after a restart, or long ago.'),
})
export const ActivityPage = z.object({
  entries: z.array(ActivityItem).describe('Oldest first.'),
  next: z.int().nullable().describe('What `after` takes for the next page; null at the end.'),
})
