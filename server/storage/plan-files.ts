import { open, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { MAX_BODY_BYTES } from '../../shared/schema/limits.ts'
import type { Files } from '../rooms/files.ts'

/**
 * Plans in text files of one folder, to be loaded by name. Nothing outside of it is read, by `..` or by a link: what is
 * checked is where the file really is.
 */
export function planFiles(folder: string): Files {
  return {
    read: async (path) => {
      try {
        const root = await realpath(folder)
        const file = await realpath(resolve(root, path))
        const inside = relative(root, file)
        if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
          return outside(path)
        return await readText(file, path)
      } catch (error) {
        return { error: reason(error, path) }
      }
    },
  }
}

async function readText(file: string, path: string): ReturnType<Files['read']> {
  const handle = await open(file, 'r')
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return { error: `${path} is no file` }
    if (stat.size > MAX_BODY_BYTES) return { error: `${path} has more than ${MAX_BODY_BYTES} bytes` }
    return { text: await handle.readFile('utf8') }
  } finally {
    await handle.close()
  }
}

/** The same for what does not exist and for what does: a caller learns nothing of what lies outside. */
const outside = (path: string) => ({ error: `there is no ${path} in the folder that plans are read from` })

function reason(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EACCES' || code === 'EPERM' ? `${path} may not be read` : outside(path).error
}
