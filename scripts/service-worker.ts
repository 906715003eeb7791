/** Tells the service worker which files the page is made of: workbox-build does the same, with some 300 packages. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const WORKER = 'service-worker.js'
const PLACE = /[\w$]+\.__WB_MANIFEST\b/
/** The name changes with what is in the file. */
const HASHED = /^assets\/.+-[\w-]{8,}\.\w+$/

export function serviceWorker(): Plugin {
  return {
    name: 'planroom:service-worker',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler({ dir = '' }) {
        const files = readdirSync(dir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) =>
            join(parentPath, name)
              .slice(dir.length + 1)
              .replaceAll('\\', '/'),
          )
          .filter((file) => file !== WORKER)
        const manifest = files.sort().map((file) => {
          const revision = createHash('sha256')
            .update(readFileSync(join(dir, file)))
            .digest('hex')
            .slice(0, 16)
          return { url: `/${file}`, revision: HASHED.test(file) ? null : revision }
        })
        const worker = join(dir, WORKER)
        const text = readFileSync(worker, 'utf8')
        if (!PLACE.test(text)) throw new Error('The service worker has no place for the list of files.')
        writeFileSync(
          worker,
          text.replace(PLACE, () => JSON.stringify(manifest)),
        )
      },
    },
  }
}
