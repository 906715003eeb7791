import { Api, threadOf } from '../api.ts'
import { type Call, EXIT, usageError } from '../command.ts'
import { readInput } from '../input.ts'

interface Reply {
  readonly success: boolean
  readonly text: string
}

export async function run(call: Call): Promise<number> {
  const tool = call.required(0)
  const thread = threadOf(call)
  const given = call.place(1) ?? '{}'
  const body = given === '-' ? await readInput('-') : given
  checkJson(body)
  const key = call.text('key')
  const reply = await new Api(call).json<Reply>(`/threads/${thread}/tools/${encodeURIComponent(tool)}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
  })
  if (call.isJson) call.terminal.print(`${JSON.stringify(reply)}\n`)
  else call.terminal.printForeign(`${reply.text}\n`)
  return reply.success ? EXIT.ok : EXIT.refused
}

/** What is no JSON at all is a slip on the command line; what is wrong in it the tool says better. */
function checkJson(text: string): void {
  try {
    JSON.parse(text)
  } catch (error) {
    throw usageError(`The arguments are not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
