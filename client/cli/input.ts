import { readFile } from 'node:fs/promises'
import { CliError, EXIT } from './command.ts'

/**
 * A text file, or standard input for `-`. Reads UTF-8, and UTF-16 where its mark says so, as editors on Windows write it.
 * @throws CliError if it is not there
 */
export async function readInput(path: string): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = path === '-' ? await standardInput() : await readFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') throw new CliError(`There is no file ${path}.`, EXIT.notFound)
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

async function standardInput(): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of process.stdin as AsyncIterable<Uint8Array>) parts.push(part)
  return Buffer.concat(parts)
}
