import { existsSync } from 'node:fs'
import { restore, WouldOverwrite } from '../../../server/storage/sqlite/backup.ts'
import { count } from '../../../shared/dialects/lines.ts'
import { type Call, CliError, EXIT } from '../command.ts'
import { dataDirectory, inUse } from '../data/directory.ts'
import { bytesText } from '../terminal.ts'

export async function run(call: Call): Promise<void> {
  const file = call.required(0)
  const directory = dataDirectory(call)
  if (!existsSync(file)) throw new CliError(`There is no file ${file}.`, EXIT.notFound)
  const progress = call.terminal.progress('Restoring', !call.isJson)
  try {
    const done = await restore(file, directory, {
      force: call.flag('force'),
      now: Date.now(),
      onProgress: progress.update,
    })
    progress.end()
    call.show({ file, directory, ...done }, () => {
      const old = done.aside === null ? '' : `The old plans are in ${done.aside}\n`
      return `${directory}: ${count(done.threads, 'plan')}, ${count(done.versions, 'change')}, ${bytesText(done.bytes)}\n${old}`
    })
  } catch (error) {
    if (!(error instanceof WouldOverwrite)) throw inUse(error)
    throw new CliError(
      `${error.message} Nothing was changed.`,
      EXIT.refused,
      '--force puts the backup in their place, and keeps them beside it.',
    )
  } finally {
    progress.end()
  }
}
