import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { App } from '../../server/app.ts'
import { type Answer, ask, type Wish } from './http.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Json }>> }>>
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Json }
}

export const describedBy = async (app: App): Promise<Document> => (await ask(app, '/openapi.json')).json as Document

/** The address of a described path in the thread `plan`. */
export const addressOf = (path: string, thread = 'plan', version = '1'): string =>
  path.replace('{thread}', thread).replace('{version}', version)

/** Holds real answers against what a document says of them, and remembers which it saw. */
export class Examiner {
  readonly seen = new Set<string>()
  readonly #ajv = new Ajv2020({ strict: false })
  readonly #documents = new Map<App, Document>()
  readonly #validators = new Map<Json, ValidateFunction>()

  /** Sends a request to an app and examines the answer. @param path as the document has it */
  async ask(
    app: App,
    method: string,
    path: string,
    { thread = 'plan', version = '1', query = '', ...wish }: Asked = {},
  ): Promise<Answer> {
    const document = this.#documents.get(app) ?? (await describedBy(app))
    this.#documents.set(app, document)
    const answer = await ask(app, addressOf(path, thread, version) + query, { ...wish, method: method.toUpperCase() })
    this.examine(document, method, path, answer)
    return answer
  }

  examine(document: Document, method: string, path: string, answer: Answer): void {
    const where = `${method} ${path} ${answer.status}`
    const described = document.paths[path]?.[method]?.responses[answer.status]
    assert(described !== undefined, `${where} is not described: ${answer.text}`)
    const [type] = (answer.headers.get('content-type') ?? '').split(';')
    if (described.content === undefined || Object.keys(described.content).length === 0) {
      assert.equal(answer.text, '', where)
      this.seen.add(where)
      return
    }
    const schema = described.content[type ?? '']?.schema
    assert(schema !== undefined, `${where} is not described as ${type}: ${answer.text}`)
    this.check(document, schema, answer.json ?? answer.text, where)
    this.seen.add(`${where} ${type}`)
  }

  /** Whether a value fits a schema of the document, and holds nothing that is not described. */
  check(document: Document, schema: Json, value: unknown, where: string): void {
    const problem = (value as { type?: unknown } | null)?.type
    if (typeof problem === 'string') this.seen.add(problem)
    const whole = () => ({ ...closed(schema), components: closed(document.components) })
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(whole())
    this.#validators.set(schema, validate)
    if (!validate(value)) assert.fail(`${where}: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
  }
}

interface Asked extends Omit<Wish, 'method'> {
  readonly version?: string
  readonly thread?: string
  readonly query?: string
}

/** The document says what is there and leaves room for more; what is really there it must all say. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map((one: unknown) => closed(one)) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value as unknown)])
  const inner = Object.fromEntries(entries) as Record<string, unknown>
  const isClosed = inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner)
  return (isClosed ? { ...inner, additionalProperties: false } : inner) as T
}
