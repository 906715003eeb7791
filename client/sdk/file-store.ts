import { frame, HEADER, readFrames } from './frames.ts'
import { takeLock } from './file-lock.ts'
import type { FileHandle, FileSystem } from './file-system.ts'
import { fileSystem } from './file-system.ts'
import type { PlanStore } from './store.ts'

/**
 * A store in one file, for Node: records behind each other, each with its checksum. What was appended survives the end
 * of the process at any moment: a record that was not written whole is cut off when the file is opened again, and a
 * file that is written anew takes the place of the old one in one step.
 * One process has a file at a time; a lock beside it says which, and goes with the process that took it.
 * @param path of the file; its folder is made if need be
 * @param fs another file system, for tests
 */
export const fileStore = (path: string, fs: FileSystem = fileSystem()): PlanStore => new FileStore(path, fs)

class FileStore implements PlanStore {
  readonly #fs: FileSystem
  readonly #path: string
  #file: FileHandle | null = null
  #unlock: (() => void) | null = null
  /** Flushes and replacements, one after the other. */
  #work: Promise<void> = Promise.resolve()
  #isFlushing = false

  constructor(path: string, fs: FileSystem) {
    this.#fs = fs
    this.#path = path
  }

  /** @throws Error if another process has the file, or it cannot be read or written */
  async load(): Promise<readonly Uint8Array[]> {
    this.#fs.makeFolderOf(this.#path)
    this.#unlock = takeLock(this.#fs, `${this.#path}.lock`)
    const bytes = this.#fs.read(this.#path)
    const { records, end, isWhole } = readFrames(bytes ?? new Uint8Array())
    // What cannot be read in the middle of it is kept for whoever wants to look; a torn end was never acknowledged.
    if (bytes !== null && !isWhole) this.#fs.write(this.#asideName('damaged'), bytes)
    if (bytes === null || end === 0) this.#rewrite(records)
    else if (end < bytes.length) this.#fs.truncate(this.#path, end)
    this.#file ??= this.#fs.openToAppend(this.#path)
    return records
  }

  /** It is with the operating system when this returns, and on disk when it resolves. */
  async append(record: Uint8Array): Promise<void> {
    this.#opened().append(frame(record))
    await this.#flush()
  }

  #flush(): Promise<void> {
    // Those that wait share one flush.
    if (!this.#isFlushing) {
      this.#isFlushing = true
      this.#work = this.#work
        .catch(() => {})
        .then(() => {
          this.#isFlushing = false
          return this.#file?.flush()
        })
    }
    return this.#work
  }

  async replace(records: readonly Uint8Array[]): Promise<void> {
    this.#opened()
    this.#rewrite(records)
  }

  #rewrite(records: readonly Uint8Array[]): void {
    const fresh = `${this.#path}.new`
    const parts = [HEADER, ...records.map(frame)]
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      bytes.set(part, at)
      at += part.length
    }
    this.#fs.write(fresh, bytes)
    this.#fs.rename(fresh, this.#path)
    const before = this.#file
    this.#file = this.#fs.openToAppend(this.#path)
    before?.close()
  }

  async setAside(): Promise<string> {
    const name = this.#asideName('aside')
    this.#fs.write(name, this.#fs.read(this.#path) ?? new Uint8Array())
    return name
  }

  #asideName(kind: string): string {
    const stem = `${this.#path}.${kind}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    let name = stem
    for (let n = 2; this.#fs.read(name) !== null; n++) name = `${stem}-${n}`
    return name
  }

  async clear(): Promise<void> {
    this.#opened()
    this.#rewrite([])
  }

  async close(): Promise<void> {
    if (this.#file === null) return
    await this.#flush().catch(() => {})
    this.#file?.close()
    this.#file = null
    this.#unlock?.()
    this.#unlock = null
  }

  #opened(): FileHandle {
    if (this.#file === null) throw new Error(`The store ${this.#path} is not open.`)
    return this.#file
  }
}
