import { existsSync } from 'node:fs'
import { backUp } from '../../../server/storage/sqlite/backup.ts'
import { count } from '../../../shared/dialects/lines.ts'
import { type Call, CliError, EXIT } from '../command.ts'
import { databaseOf, dataDirectory } from '../data/directory.ts'
import { bytesText } from '../terminal.ts'

export async function run(call: Call): Promise<void> {
  const file = call.required(0)
  const database = databaseOf(dataDirectory(call))
  if (existsSync(file)) throw new CliError(`${file} is there already. Nothing was changed.`, EXIT.refused)
  const progress = call.terminal.progress('Backing up', !call.isJson)
  try {
    const held = await backUp(database, file, progress.update)
    progress.end()
    call.show(
      { file, ...held },
      () => `${file}: ${count(held.threads, 'plan')}, ${count(held.versions, 'change')}, ${bytesText(held.bytes)}\n`,
    )
  } finally {
    progress.end()
  }
}
