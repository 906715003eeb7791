import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { databaseIn } from '../../../server/storage/sqlite/files.ts'
import { lockDirectory } from '../../../server/storage/sqlite/lock.ts'
import { type Call, CliError, EXIT } from '../command.ts'

/** The data directory of a command, which need not be there. */
export const dataDirectory = (call: Call): string => resolve(call.text('data', 'PLANROOM_DATA_DIR') ?? './data')

/** The database of a data directory. @throws CliError if there is none */
export function databaseOf(directory: string): string {
  const path = databaseIn(directory)
  if (existsSync(path)) return path
  throw new CliError(
    `There are no plans in ${directory}.`,
    EXIT.notFound,
    'Name another directory with --data or PLANROOM_DATA_DIR.',
  )
}

/** Keeps servers out while `work` is done. @throws CliError if one is there */
export async function withLock<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  const unlock = locked(directory)
  try {
    return await work()
  } finally {
    unlock()
  }
}

function locked(directory: string): () => void {
  try {
    return lockDirectory(directory)
  } catch (error) {
    throw inUse(error)
  }
}

/** A directory in use is a refusal; everything else stays what it is. */
export const inUse = (error: unknown): unknown =>
  error instanceof Error && error.message.startsWith('Another Planroom server')
    ? new CliError(error.message, EXIT.refused)
    : error
