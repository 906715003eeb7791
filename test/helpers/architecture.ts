import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { readImports, type Import } from './imports.ts'

/** A source file: its path from the root of the repository, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly source: string
}

export interface Violation {
  readonly rule: Rule
  readonly path: string
  readonly message: string
}

export interface Report {
  readonly violations: readonly Violation[]
  /** Files and imports seen, by layer. */
  readonly seen: ReadonlyMap<string, { files: number; imports: number }>
}

export type Rule =
  | 'arrow' // an import against the arrows between layers
  | 'barrel' // an import of an index.ts that is not the SDK's
  | 'computed' // an import whose target only shows at run time
  | 'cycle' // files that import each other in a ring
  | 'env' // process.env read outside server/config.ts
  | 'escape' // an import that leaves the repository
  | 'layer' // a file that belongs to no layer
  | 'package' // a package that shared must not know
  | 'syntax' // a file that does not parse
  | 'target' // an import of a file that is not there
  | 'zod' // zod in the page

const SHARED = ['shared/schema', 'shared/plan', 'shared/dialects']
const CORE = [...SHARED, 'server/rooms']
const SERVER = [...CORE, 'server/auth', 'server/transports', 'server/app', 'server/main', 'server/config']
const ADAPTERS = ['server/storage', 'server/bus']
const CLIENT = ['client/sdk', 'client/ui', 'client/cli']

/** A layer is a folder, or a file of that name: what it may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'shared/schema': [],
  'shared/plan': ['shared/schema'],
  'shared/dialects': ['shared/schema', 'shared/plan'],
  'server/config': ['shared/schema'],
  'server/auth': ['shared/schema'],
  'server/rooms': SHARED,
  'server/storage': ['shared/schema', 'server/rooms', 'server/auth'],
  'server/bus': ['shared/schema', 'server/rooms'],
  'server/transports': [...CORE, 'server/auth'],
  'server/app': [...CORE, ...ADAPTERS, 'server/auth', 'server/transports', 'server/config'],
  'server/main': [...CORE, 'server/auth', 'server/transports', 'server/app', 'server/config'],
  'client/sdk': SHARED,
  'client/ui': [...SHARED, 'client/sdk'],
  'client/cli': [...SERVER, ...ADAPTERS, 'client/sdk'],
  // What others would write: against the wire, or with the SDK.
  examples: ['client/sdk'],
  test: [...SERVER, ...ADAPTERS, ...CLIENT, 'bench', 'examples'],
  bench: [...SERVER, ...ADAPTERS, ...CLIENT, 'test'],
}

const SHARED_PACKAGES = new Set(['yjs', 'lib0', 'y-protocols', 'zod'])
const BARREL = 'client/sdk/index.ts'
const ENV_READER = 'server/config.ts'
const inThePage = (path: string): boolean => /^(shared\/plan|client\/ui)\//.test(path) || path === BARREL

/**
 * Checks the arrows between files. Pure: it reads nothing but its arguments.
 * @param packageImports the `imports` of package.json, pointing at sources
 */
export function checkArchitecture(
  files: readonly SourceFile[],
  packageImports: Readonly<Record<string, string>> = {},
): Report {
  const violations: Violation[] = []
  const seen = new Map<string, { files: number; imports: number }>()
  const paths = new Set(files.map((file) => file.path))
  const edges = new Map<string, Edge[]>()

  for (const { path, source } of files) {
    const report = (rule: Rule, message: string) => violations.push({ rule, path, message })
    const layer = layerOf(path)
    if (layer === undefined) {
      report('layer', 'belongs to no layer')
      continue
    }
    const read = readImports(path, source)
    const count = seen.get(layer) ?? { files: 0, imports: 0 }
    seen.set(layer, { files: count.files + 1, imports: count.imports + read.imports.length })
    if (read.error !== null) report('syntax', read.error)
    if (read.readsEnv && path.startsWith('server/') && path !== ENV_READER) report('env', 'reads process.env')

    const own = read.imports.map((found) => resolve(path, found, packageImports))
    edges.set(path, own)
    for (const edge of own) {
      const objection = judge(path, layer, edge, paths)
      if (objection !== null) report(...objection)
    }
  }

  for (const path of edges.keys()) {
    const chain = inThePage(path) ? pathToZod(path, edges) : null
    if (chain !== null) violations.push({ rule: 'zod', path, message: chain.join(' -> ') })
  }
  for (const ring of cycles(edges)) {
    violations.push({ rule: 'cycle', path: ring[0] ?? '', message: [...ring, ring[0]].join(' -> ') })
  }
  return { violations, seen }
}

interface Edge {
  /** A file's path or a package's name; null when it cannot be known. */
  readonly to: string | null
  readonly kind: 'file' | 'package' | 'escape'
  /** Whether the target is loaded at run time, with the file or later. */
  readonly load: Import['load']
}

function judge(path: string, layer: string, edge: Edge, paths: ReadonlySet<string>): [Rule, string] | null {
  const { to, kind } = edge
  if (to === null) return /^(test|bench)$/.test(layer) ? null : ['computed', 'imports what only shows at run time']
  if (kind === 'escape') return ['escape', `imports ${to}`]
  if (kind === 'package') {
    return path.startsWith('shared/') && !SHARED_PACKAGES.has(to) ? ['package', `imports ${to}`] : null
  }
  if (!isCode(to)) return null
  if (!paths.has(to)) return ['target', `imports ${to}, which is not there`]
  const target = layerOf(to)
  if (target !== undefined && target !== layer && !ARROWS[layer]?.includes(target)) {
    return ['arrow', `${layer} imports ${target}: ${to}`]
  }
  return /^index\.tsx?$/.test(posix.basename(to)) && to !== BARREL ? ['barrel', `imports the barrel ${to}`] : null
}

function layerOf(path: string): string | undefined {
  const place = path.replace(/\.tsx?$/, '/')
  return Object.keys(ARROWS).find((layer) => place.startsWith(`${layer}/`))
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) || posix.extname(path) === ''
}

function resolve(from: string, { specifier, load }: Import, packageImports: Readonly<Record<string, string>>): Edge {
  if (specifier === null) return { to: null, kind: 'file', load }
  const mapped = packageImports[specifier]
  if (mapped !== undefined) return { to: posix.normalize(mapped), kind: 'file', load }
  if (/^(\/|file:)/.test(specifier)) return { to: specifier, kind: 'escape', load }
  if (specifier.startsWith('.')) {
    const to = posix.join(posix.dirname(from), specifier)
    return { to, kind: to.startsWith('..') ? 'escape' : 'file', load }
  }
  if (builtinModules.includes(specifier)) return { to: `node:${specifier}`, kind: 'package', load }
  const [scope = '', name = ''] = specifier.split('/')
  return { to: scope.startsWith('@') ? `${scope}/${name}` : scope, kind: 'package', load }
}

/** The shortest chain of modules loaded together with a file that ends at zod. */
function pathToZod(start: string, edges: ReadonlyMap<string, readonly Edge[]>): string[] | null {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue) {
    for (const { to, load } of edges.get(path) ?? []) {
      if (load !== 'now' || to === null || to === start || cameFrom.has(to)) continue
      cameFrom.set(to, path)
      if (to !== 'zod') {
        queue.push(to)
        continue
      }
      const chain = [to]
      for (let at = path; at !== start; at = cameFrom.get(at) ?? start) chain.unshift(at)
      return [start, ...chain]
    }
  }
  return null
}

/** Every ring that a depth-first walk closes, types included. */
function cycles(edges: ReadonlyMap<string, readonly Edge[]>): string[][] {
  const rings: string[][] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (path: string): void => {
    const start = trail.indexOf(path)
    if (start >= 0) rings.push(trail.slice(start))
    if (start >= 0 || done.has(path)) return
    trail.push(path)
    for (const { to, kind } of edges.get(path) ?? []) if (kind === 'file' && to !== null) visit(to)
    trail.pop()
    done.add(path)
  }
  for (const path of edges.keys()) visit(path)
  return rings
}
