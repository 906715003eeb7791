import { z } from 'zod'
import { TOOLS } from '../../../../shared/dialects/registry.ts'
import { baseSchema } from '../../../../shared/dialects/schemas.ts'
import { Group, PlanSnapshot, Step } from '../../../../shared/schema/plan.ts'
import { PROBLEM_JSON } from '../problem.ts'
import { type ProblemKind, PROBLEMS, problemSchema } from '../problems.ts'
import { ANYWHERE, CALLED, type Door, DOORS, GATED } from './doors.ts'
import { PARAMETERS, type ParameterName } from './parameters.ts'
import { ActivityItem, REPLY_SCHEMAS, replyOf, Thread } from './replies.ts'

type Json = Readonly<Record<string, unknown>>

export interface Surroundings {
  readonly version: string
  /** Under which the server is reached from outside; null: as whoever fetched this did. */
  readonly publicUrl: string | null
  /** Whether no token is needed. */
  readonly isOpen: boolean
}

const DESCRIPTION = `The live plan that agents and people share. Every thread has one.

A tool call that the model should mend is a 200 with \`success: false\`; what is wrong with a request itself is a problem (RFC 9457). Addresses that are not here are a 404 \`not-found\`, other methods a 405 \`method\`.

Over a WebSocket at \`/sync/{thread}\` the plan is live, for any y-websocket client.`

/** Probes come under any name, and are answered however busy it is. */
const SPARED: readonly ProblemKind[] = ['bad-host', 'too-many-requests', 'overloaded']

/** Every door as OpenAPI 3.1 has it, made from what the doors themselves use. It is not cheap: build it once. */
export function openApi({ version, publicUrl, isOpen }: Surroundings): Json {
  const doors = [...toolDoors(), ...DOORS]
  const paths: Record<string, Record<string, Json>> = {}
  for (const door of doors) paths[door.path] = { ...paths[door.path], [door.method]: operation(door, isOpen) }
  return {
    openapi: '3.1.0',
    info: { title: 'Planroom', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: publicUrl ?? '/' }],
    tags: [
      { name: 'Tools', description: 'What agents use.' },
      { name: 'Plans', description: 'Plans as things: listed, created, read, deleted.' },
      { name: 'Server', description: 'The server itself.' },
    ],
    paths,
    components: {
      schemas: components(),
      parameters: Object.fromEntries(
        Object.entries(PARAMETERS).map(([name, { schema, ...rest }]) => [
          name,
          { ...rest, required: rest.in === 'path', schema: jsonSchema(schema) },
        ]),
      ),
      ...(isOpen ? {} : { securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } }),
    },
  }
}

/** A door for every tool: each has its own body and its own reply. */
function toolDoors(): Door[] {
  return [...TOOLS.values()].map(({ dialect, tool }): Door => {
    const parameters: ParameterName[] = ['thread', 'agentName', 'agentId', 'name', 'id', 'idempotencyKey']
    return {
      method: 'post',
      path: `/threads/{thread}/tools/${tool.name}`,
      tag: 'Tools',
      id: tool.name,
      summary: `${tool.title} (${dialect.name})`,
      description: tool.description,
      parameters,
      body: { schema: baseSchema(tool), required: false },
      replies: { 200: ['The call was done, or refused.', { 'application/json': replyOf(dialect, tool) }] },
      problems: CALLED,
    }
  })
}

function operation(door: Door, isOpen: boolean): Json {
  const { tag, id, summary, description, parameters = [], body, isPublic = false } = door
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((name) => reference('parameters', name)) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              'application/json': { schema: body.schema instanceof z.ZodType ? jsonSchema(body.schema) : body.schema },
            },
          },
        }),
    responses: responses(door, isOpen),
    ...(isOpen ? {} : { security: isPublic ? [] : [{ token: [] }] }),
  }
}

function responses(door: Door, isOpen: boolean): Json {
  const { path, replies, problems, isPublic = false } = door
  const found: Record<string, { description: string; content: Record<string, Json> }> = {}
  for (const [status, [description, content = {}]] of Object.entries(replies)) {
    const types = Object.entries(content).map(([type, schema]) => [type, { schema: jsonSchema(schema) }] as const)
    found[status] = { description, content: Object.fromEntries(types) }
  }
  const isProbe = path === '/healthz' || path === '/readyz'
  const kinds = [
    ...problems,
    ...ANYWHERE.filter((kind) => !isProbe || !SPARED.includes(kind)),
    ...(isOpen || isPublic ? [] : GATED),
  ]
  for (const [status, some] of byStatus(kinds, door)) {
    const schema = some.length === 1 ? schemaOf(some[0]) : { oneOf: some.map(schemaOf) }
    const { description = 'A problem.', content = {} } = found[status] ?? {}
    found[status] = { description, content: { ...content, [PROBLEM_JSON]: { schema } } }
  }
  return found
}

/** The statuses that a door may answer with, each with what may be wrong then. */
function byStatus(kinds: readonly ProblemKind[], door: Door): Map<string, ProblemKind[]> {
  const found = new Map<string, ProblemKind[]>()
  for (const kind of kinds) {
    const statuses = kind === 'thread-deleted' ? [deletedStatus(door)] : PROBLEMS[kind].statuses
    for (const status of statuses) {
      found.set(String(status), [...(found.get(String(status)) ?? []), kind])
    }
  }
  return found
}

/** A deleted thread is gone for those who look, and taken for those who write. */
function deletedStatus({ method, path }: Door): number {
  if (path.endsWith('/mcp')) return 404
  return method === 'post' || method === 'put' ? 409 : 410
}

const problemName = (kind: ProblemKind): string => `Problem.${kind}`
const schemaOf = (kind: ProblemKind | undefined): Json =>
  kind === undefined ? {} : reference('schemas', problemName(kind))
const reference = (where: 'schemas' | 'parameters', name: string): Json => ({ $ref: `#/components/${where}/${name}` })

/** Schemas that stand in the document once, under their names. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  PlanSnapshot,
  Step,
  Group,
  Thread,
  ActivityItem,
  ...REPLY_SCHEMAS,
}

function components(): Json {
  const kinds = Object.keys(PROBLEMS) as ProblemKind[]
  return {
    ...Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, jsonSchema(schema, name)])),
    ...Object.fromEntries(kinds.map((kind) => [problemName(kind), jsonSchema(problemSchema(kind))])),
  }
}

/** A schema of zod as JSON Schema. Objects stay open: a reply may say more in a later version. */
function jsonSchema(schema: z.ZodType, own?: string): Json {
  const found: Record<string, unknown> = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made }) => {
      const name = Object.keys(NAMED).find((one) => Object.is(NAMED[one], zodSchema))
      if (name !== undefined && name !== own) {
        for (const key of Object.keys(made)) Reflect.deleteProperty(made, key)
        Object.assign(made, reference('schemas', name))
      }
      // What zod says of every integer, which is true of all numbers in JSON.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
    },
  })
  delete found['$schema']
  return found
}
