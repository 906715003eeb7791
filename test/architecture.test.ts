import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkArchitecture, type Rule, type SourceFile } from './helpers/architecture.ts'
import { readImports } from './helpers/imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const roots = ['shared', 'server', 'client', 'examples', 'test', 'bench']
const mustHave = ['shared/schema', 'shared/plan', 'shared/dialects', 'server/rooms', 'server/transports', 'server/app']

function sources(): SourceFile[] {
  return roots
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((it) => `${folder}/${it}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, source: readFileSync(root + path, 'utf8') }))
}

/** The `imports` of package.json point into dist; the sources lie beside it under the same names. */
function packageImports(): Record<string, string> {
  const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { imports?: Record<string, string> }
  const toSource = (path: string) => path.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
  return Object.fromEntries(Object.entries(manifest.imports ?? {}).map(([name, path]) => [name, toSource(path)]))
}

describe('the sources', () => {
  const files = sources()
  const report = checkArchitecture(files, packageImports())

  test('[A1] imports run one way, in no ring, and nothing reaches for what it must not know', () => {
    expect(report.violations.map(({ rule, path, message }) => `${rule}: ${path} ${message}`)).toEqual([])
  })

  test('[A2] the check looked at every file and at imports in every layer', () => {
    const seen = [...report.seen.values()]
    expect(seen.reduce((sum, layer) => sum + layer.files, 0)).toBe(files.length)
    for (const layer of mustHave) {
      expect(report.seen.get(layer)?.files ?? 0, layer).toBeGreaterThan(0)
      expect(report.seen.get(layer)?.imports ?? 0, layer).toBeGreaterThan(0)
    }
    for (const [layer, { imports }] of report.seen) expect(imports, layer).toBeGreaterThan(0)
  })
})

describe('the check itself', () => {
  const imports = (specifier: string) => `import { x } from '${specifier}'`
  const forged: [rule: Rule, what: string, path: string, source: string, other?: string, otherSource?: string][] = [
    ['arrow', 'schema <- plan', 'shared/schema/a.ts', imports('../plan/b.ts'), 'shared/plan/b.ts'],
    ['arrow', 'plan <- dialects', 'shared/plan/a.ts', imports('../dialects/b.ts'), 'shared/dialects/b.ts'],
    ['arrow', 'types count', 'shared/plan/a.ts', `import type { X } from '../dialects/b.ts'`, 'shared/dialects/b.ts'],
    ['arrow', 'of a type too', 'shared/plan/a.ts', `type X = import('../dialects/b.ts').X`, 'shared/dialects/b.ts'],
    ['arrow', 're-exports count', 'shared/plan/a.ts', `export * from '../dialects/b.ts'`, 'shared/dialects/b.ts'],
    ['arrow', 'by name too', 'shared/plan/a.ts', `export { x } from '../dialects/b.ts'`, 'shared/dialects/b.ts'],
    ['arrow', 'dynamic imports count', 'shared/plan/a.ts', `await import('../dialects/b.ts')`, 'shared/dialects/b.ts'],
    ['arrow', 'workers count', 'server/rooms/a.ts', `new URL('../app.js', import.meta.url)`, 'server/app.ts'],
    ['arrow', 'aliases count', 'server/rooms/a.ts', `import.meta.resolve('#worker')`, 'server/storage/worker.ts'],
    ['arrow', 'shared <- server', 'shared/dialects/a.ts', imports('../../server/rooms/b.ts'), 'server/rooms/b.ts'],
    ['arrow', 'rooms <- transports', 'server/rooms/a.ts', imports('../transports/b.ts'), 'server/transports/b.ts'],
    ['arrow', 'rooms <- storage', 'server/rooms/a.ts', imports('../storage/b.ts'), 'server/storage/b.ts'],
    ['arrow', 'rooms <- auth', 'server/rooms/a.ts', imports('../auth/b.ts'), 'server/auth/b.ts'],
    ['arrow', 'transports <- storage', 'server/transports/a.ts', imports('../storage/b.ts'), 'server/storage/b.ts'],
    ['arrow', 'transports <- bus', 'server/transports/a.ts', imports('../bus/b.ts'), 'server/bus/b.ts'],
    ['arrow', 'transports <- app', 'server/transports/http/a.ts', imports('../../app.ts'), 'server/app.ts'],
    ['arrow', 'transports <- config', 'server/transports/http/a.ts', imports('../../config.ts'), 'server/config.ts'],
    ['arrow', 'app <- main', 'server/app.ts', imports('./main.ts'), 'server/main.ts'],
    ['arrow', 'main knows no storage', 'server/main.ts', imports('./storage/b.ts'), 'server/storage/b.ts'],
    ['arrow', 'storage knows no plan', 'server/storage/a.ts', imports('../../shared/plan/b.ts'), 'shared/plan/b.ts'],
    [
      'arrow',
      'bus knows no dialects',
      'server/bus/a.ts',
      imports('../../shared/dialects/b.ts'),
      'shared/dialects/b.ts',
    ],
    ['arrow', 'auth knows no rooms', 'server/auth/a.ts', imports('../rooms/b.ts'), 'server/rooms/b.ts'],
    ['arrow', 'server <- client', 'server/app.ts', imports('../client/sdk/b.ts'), 'client/sdk/b.ts'],
    ['arrow', 'server <- test', 'server/app.ts', imports('../test/helpers/b.ts'), 'test/helpers/b.ts'],
    ['arrow', 'sdk knows no server', 'client/sdk/a.ts', imports('../../server/rooms/b.ts'), 'server/rooms/b.ts'],
    ['arrow', 'page knows no server', 'client/ui/a.tsx', imports('../../server/rooms/b.ts'), 'server/rooms/b.ts'],
    ['arrow', 'sdk knows no page', 'client/sdk/a.ts', imports('../ui/b.tsx'), 'client/ui/b.tsx'],
    ['arrow', 'examples know no server', 'examples/a.ts', imports('../server/app.ts'), 'server/app.ts'],
    ['arrow', 'examples know no dialects', 'examples/a.ts', imports('../shared/dialects/b.ts'), 'shared/dialects/b.ts'],
    ['barrel', 'in shared', 'shared/plan/a.ts', imports('./b/index.ts'), 'shared/plan/b/index.ts'],
    ['computed', 'a dynamic import', 'server/app.ts', 'await import(`./${name}.ts`)'],
    ['computed', 'a worker', 'server/app.ts', 'new URL(name, import.meta.url)'],
    ['cycle', 'of two', 'server/rooms/a.ts', imports('./b.ts'), 'server/rooms/b.ts', imports('./a.ts')],
    ['cycle', 'of itself', 'server/rooms/a.ts', imports('./a.ts')],
    ['cycle', 'of types', 'shared/plan/a.ts', `import type { X } from './b.ts'`, 'shared/plan/b.ts', imports('./a.ts')],
    ['env', 'a property', 'server/rooms/a.ts', 'const port = process.env.PORT'],
    ['env', 'quoted', 'server/main.ts', `globalThis.process['env']`],
    ['env', 'taken apart', 'server/rooms/a.ts', 'const { env } = process'],
    ['env', 'imported', 'server/rooms/a.ts', `import { env as settings } from 'node:process'`],
    ['escape', 'above the root', 'shared/plan/a.ts', imports('../../../elsewhere/b.ts')],
    ['escape', 'from the root of the disk', 'shared/plan/a.ts', imports('/elsewhere/b.ts')],
    ['layer', 'a new folder', 'server/elsewhere/a.ts', ''],
    ['package', 'a package of the server', 'shared/dialects/a.ts', imports('hono/tiny')],
    ['package', 'of Node', 'shared/plan/a.ts', imports('node:fs')],
    ['package', 'of Node, by its short name', 'shared/plan/a.ts', imports('fs/promises')],
    ['syntax', 'a file that does not parse', 'shared/plan/a.ts', 'const = 1'],
    ['target', 'a file that is gone', 'shared/plan/a.ts', imports('./b.ts')],
    ['target', 'an extension left out', 'shared/plan/a.ts', imports('./b'), 'shared/plan/b.ts'],
    ['zod', 'itself', 'shared/plan/a.ts', imports('zod')],
    ['zod', 'through a value', 'shared/plan/a.ts', imports('../schema/b.ts'), 'shared/schema/b.ts', imports('zod')],
    [
      'zod',
      'through an emptied import',
      'shared/plan/a.ts',
      `import { type X } from '../schema/b.ts'`,
      'shared/schema/b.ts',
      imports('zod/mini'),
    ],
  ]

  test.each(forged)('[A3] reports %s: %s', (rule, _what, path, source, other, otherSource = '') => {
    const files = [{ path, source }]
    if (other !== undefined) files.push({ path: other, source: otherSource })
    const { violations } = checkArchitecture(files, { '#worker': 'server/storage/worker.ts' })
    expect(violations.map((it) => [it.rule, it.path])).toEqual([[rule, path]])
  })

  test('[A4] what is allowed is not reported', () => {
    const { violations, seen } = checkArchitecture([
      { path: 'shared/schema/plan.ts', source: `import { z } from 'zod'` },
      { path: 'shared/schema/limits.ts', source: '' },
      {
        path: 'shared/plan/read.ts',
        source: `import * as Y from 'yjs'\nimport type { Plan } from '../schema/plan.ts'\nimport { MAX } from '../schema/limits.ts'`,
      },
      { path: 'server/config.ts', source: `import { z } from 'zod'\nprocess.env.PORT` },
      { path: 'server/storage/sqlite.ts', source: `import type { Storage } from '../rooms/storage.ts'` },
      { path: 'server/rooms/storage.ts', source: `import { MAX } from '../../shared/schema/limits.ts'` },
      { path: 'server/app.ts', source: `import { sqlite } from './storage/sqlite.ts'\nimport './config.ts'` },
      { path: 'client/sdk/index.ts', source: `export * from '../../shared/plan/read.ts'` },
      {
        path: 'client/ui/main.tsx',
        source: `import { open } from '../sdk/index.ts'\nimport './page.css'\nconst a = <p />`,
      },
      { path: 'client/cli/backup.ts', source: `import { sqlite } from '../../server/storage/sqlite.ts'` },
      { path: 'test/plan/read.test.ts', source: `import { open } from '../../client/cli/backup.ts'\nprocess.env` },
    ])
    expect(violations).toEqual([])
    expect(seen.get('shared/plan')).toEqual({ files: 1, imports: 3 })
  })

  test('[A5] every way to import is read, with the moment it loads', () => {
    const source = `
      import a from 'a'
      import type b from 'b'
      import { type c } from 'c'
      import 'd'
      export { e } from 'e'
      export type { f } from 'f'
      export * from 'g'
      export type * from 'h'
      type I = import('i').I
      const j = await import('j')
      const k = import(name)
      const l = new URL('./l.js', import.meta.url)
      const m = import.meta.resolve('m')
      const n = [new URL('https://example.org/n.js'), new URL('n.txt', import.meta.url)]
      const o = "import p from 'p'" // import q from 'q'
      export const r = 1
    `
    const read = readImports('a.ts', source)
    expect(read.error).toBe(null)
    expect(read.imports.map(({ specifier, load }) => `${specifier ?? '?'} ${load}`)).toEqual([
      'a now',
      'b type',
      'c now',
      'd now',
      'e now',
      'f type',
      'g now',
      'h type',
      'i type',
      'j later',
      '? later',
      './l.ts later',
      'm later',
    ])
  })
})
