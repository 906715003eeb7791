import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { Api, threadOf } from '../api.ts'
import { type Call, CliError } from '../command.ts'

export async function run(call: Call): Promise<void> {
  const thread = threadOf(call, 0)
  const markdown = await new Api(call).text(`/threads/${thread}/plan.md`)
  const output = call.text('output')
  if (output === undefined || output === '-') return call.show({ thread, markdown }, () => markdown)
  writeWhole(output, markdown)
  if (call.isJson) call.show({ thread, file: output }, () => '')
}

/** @throws CliError */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.unfinished-${process.pid}`
  try {
    writeFileSync(unfinished, text)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new CliError(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}
