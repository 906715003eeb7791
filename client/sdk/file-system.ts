/** What a file store needs of the system; tests put another one in its place that stops at a step of its choice. */
export interface FileSystem {
  /** null if there is no such file. */
  read(path: string): Uint8Array | null
  /** Writes a file and waits until it is on disk. */
  write(path: string, bytes: Uint8Array): void
  /** Makes a file unless there is one. @returns whether it did */
  create(path: string, bytes: Uint8Array): boolean
  truncate(path: string, length: number): void
  /** Puts a file in the place of another in one step, and waits until that is on disk. */
  rename(from: string, to: string): void
  remove(path: string): void
  makeFolderOf(path: string): void
  openToAppend(path: string): FileHandle
}

export interface FileHandle {
  append(bytes: Uint8Array): void
  /** Resolves when what was appended is on disk. */
  flush(): Promise<void>
  close(): void
}

/**
 * Node's own file system. It is asked for instead of imported, so that a page can be bundled from the same source.
 * @throws Error where there is none
 */
export function fileSystem(): FileSystem {
  const { process } = globalThis
  if (typeof process?.getBuiltinModule !== 'function')
    throw new Error('A file store needs Node 20.16 or newer; a page has indexedDbStore.')
  const fs = process.getBuiltinModule('node:fs')
  const paths = process.getBuiltinModule('node:path')

  const writeAll = (file: number, bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(file, bytes, done)
  }
  const withFile = (path: string, flags: string, use: (file: number) => void): void => {
    const file = fs.openSync(path, flags, 0o600)
    try {
      use(file)
      fs.fsyncSync(file)
    } finally {
      fs.closeSync(file)
    }
  }
  /** One by one: Node's own way of making several never returns where a name cannot be made, as below /proc. */
  const makeFolder = (folder: string): void => {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
    makeFolder(paths.dirname(folder))
    try {
      fs.mkdirSync(folder)
    } catch (error) {
      // Another process made it meanwhile.
      if (!isExisting(error) || !fs.statSync(folder).isDirectory()) throw error
    }
  }
  const flushFolder = (path: string): void => {
    try {
      withFile(paths.dirname(path), 'r', () => {})
    } catch {
      // Some systems do not let a folder be flushed.
    }
  }

  return {
    read: (path) => (fs.existsSync(path) ? new Uint8Array(fs.readFileSync(path)) : null),
    write: (path, bytes) => withFile(path, 'w', (file) => writeAll(file, bytes)),
    create: (path, bytes) => {
      // Whole or not at all: by a second name for a file that is written already, where the system has such a thing.
      const other = `${path}.${process.pid}`
      try {
        withFile(other, 'w', (file) => writeAll(file, bytes))
        fs.linkSync(other, path)
        return true
      } catch (error) {
        if (isExisting(error)) return false
      } finally {
        fs.rmSync(other, { force: true })
      }
      try {
        withFile(path, 'wx', (file) => writeAll(file, bytes))
        return true
      } catch (error) {
        if (isExisting(error)) return false
        throw error
      }
    },
    truncate: (path, length) => withFile(path, 'r+', (file) => fs.ftruncateSync(file, length)),
    rename: (from, to) => {
      fs.renameSync(from, to)
      flushFolder(to)
    },
    remove: (path) => fs.rmSync(path, { force: true }),
    makeFolderOf: (path) => makeFolder(paths.dirname(path)),
    openToAppend: (path) => {
      const file = fs.openSync(path, 'a', 0o600)
      let flushing: Promise<void> = Promise.resolve()
      let isClosed = false
      return {
        append: (bytes) => writeAll(file, bytes),
        flush: () =>
          (flushing = new Promise((resolve, reject) => {
            if (isClosed) return resolve()
            fs.fdatasync(file, (error) => (error === null || isClosed ? resolve() : reject(error)))
          })),
        close: () => {
          isClosed = true
          // The number of a closed file is given to the next one: a flush under way must not meet that.
          flushing.catch(() => {}).finally(() => fs.closeSync(file))
        },
      }
    },
  }
}

const isExisting = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'
