import { toBase64UrlEncoded } from 'lib0/buffer'
import { getRandomValues } from 'lib0/webcrypto'
import type { FileSystem } from './file-system.ts'

/**
 * Takes a lock that goes with the process: whoever finds it later sees whether its process still lives.
 * @returns how to give it back
 * @throws Error if a living process has it
 */
export function takeLock(fs: FileSystem, path: string): () => void {
  const mine = new TextEncoder().encode(describe(fs, process.pid))
  for (let tries = 0; tries < 100; tries++) {
    if (fs.create(path, mine)) return () => fs.remove(path)
    const bytes = fs.read(path)
    if (bytes === null) continue
    const [pid = '', born = ''] = new TextDecoder().decode(bytes).split(' ')
    if (isAlive(fs, Number(pid), born))
      throw new Error(
        `The store ${path.replace(/\.lock$/, '')} is in use by process ${pid}. If that is wrong: delete ${path}.`,
      )
    // Of several that find it at once, one takes it away; it must not be a new one that is taken.
    const old = `${path}.${toBase64UrlEncoded(getRandomValues(new Uint8Array(6)))}`
    try {
      fs.rename(path, old)
    } catch {
      continue
    }
    const taken = fs.read(old)
    fs.remove(old)
    if (taken !== null && new TextDecoder().decode(taken) !== new TextDecoder().decode(bytes)) fs.create(path, taken)
  }
  throw new Error(`The lock ${path} could not be taken.`)
}

/** A process, and when it began: numbers of processes are used again. */
const describe = (fs: FileSystem, pid: number): string => `${pid} ${birth(fs, pid)}`

/** When a process began, where the system tells; else ''. */
function birth(fs: FileSystem, pid: number): string {
  try {
    const stat = new TextDecoder().decode(fs.read(`/proc/${pid}/stat`) ?? new Uint8Array())
    // The name in brackets may hold anything; what follows it does not.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(fs: FileSystem, pid: number, born: string): boolean {
  // A lock that was not written whole is nobody's: its process ended while writing it.
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return birth(fs, pid) === born
}
