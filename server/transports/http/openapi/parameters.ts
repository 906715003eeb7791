import { z } from 'zod'
import { PROVIDERS } from '../../../../shared/dialects/providers.ts'
import { DIALECTS } from '../../../../shared/dialects/registry.ts'
import { MAX_ACTOR_NAME, MAX_KEY, MAX_PAGE, MAX_TITLE } from '../../../../shared/schema/limits.ts'
import { THREAD_PATTERN } from '../request.ts'
import { MIN_BLOCK_TOKENS } from '../tools.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema: z.ZodType
}

const label = z.string().max(MAX_ACTOR_NAME)

/** Everything that stands in an address or a header. */
export const PARAMETERS = {
  thread: {
    name: 'thread',
    in: 'path',
    description: 'The thread, which has one plan.',
    schema: z.string().regex(new RegExp(`^${THREAD_PATTERN}$`)),
  },
  version: {
    name: 'version',
    in: 'path',
    description: 'A version of the plan, from 1 on.',
    schema: z.int().min(1),
  },
  dialect: {
    name: 'dialect',
    in: 'query',
    description: 'The set of tools, and how the plan is printed. Left out: outline.',
    schema: z.enum([...DIALECTS.keys()]),
  },
  provider: {
    name: 'provider',
    in: 'query',
    description: 'In whose form the tools are wanted. Left out: base.',
    schema: z.enum(PROVIDERS),
  },
  strict: {
    name: 'strict',
    in: 'query',
    description: 'Has the provider hold the model to the schema, where it can.',
    schema: z.boolean(),
  },
  for: {
    name: 'for',
    in: 'query',
    description: 'The id of the actor that the block is for, and that has looked then. Left out: the caller.',
    schema: label,
  },
  maxTokens: {
    name: 'max_tokens',
    in: 'query',
    description: 'What the block must fit into; finished branches are folded first, then open steps from the end.',
    schema: z.int().min(MIN_BLOCK_TOKENS),
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Entries in one page. Left out: 100.',
    schema: z.int().min(1).max(MAX_PAGE),
  },
  threadQuery: {
    name: 'query',
    in: 'query',
    description: 'Words that the id or the title has, whatever their case and accents.',
    schema: z.string().max(MAX_TITLE),
  },
  afterThread: { name: 'after', in: 'query', description: '`next` of the page before.', schema: z.string() },
  afterVersion: { name: 'after', in: 'query', description: 'Entries after this version.', schema: z.int().min(0) },
  agentName: {
    name: 'X-Agent-Name',
    in: 'header',
    description:
      "Who calls, as people read it: in UTF-8, percent-encoded UTF-8, or as RFC 8187 has it (UTF-8''Zo%C3%AB). Where tokens " +
      'are needed, the token says it.',
    schema: label,
  },
  agentId: {
    name: 'X-Agent-Id',
    in: 'header',
    description: 'Who calls, where names may repeat. Left out: the name.',
    schema: label,
  },
  name: { name: 'name', in: 'query', description: 'As X-Agent-Name, for hosts that set no headers.', schema: label },
  id: { name: 'id', in: 'query', description: 'As X-Agent-Id, for hosts that set no headers.', schema: label },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A repeat of the call under the same key gets the same answer, and is not done again, for 24 hours. The id that a ' +
      'provider gave the tool call is a good key.',
    schema: z.string().min(1).max(MAX_KEY),
  },
} as const satisfies Readonly<Record<string, Parameter>>

export type ParameterName = keyof typeof PARAMETERS
