import { parseSync, Visitor, type Argument, type Expression, type ImportDeclarationSpecifier } from 'oxc-parser'

export interface Import {
  /** null when it is computed at run time. */
  readonly specifier: string | null
  /** `type`: erased. `now`: loaded with the file. `later`: a dynamic import, a worker, a file beside it. */
  readonly load: 'type' | 'now' | 'later'
}

export interface FileImports {
  readonly imports: readonly Import[]
  readonly readsEnv: boolean
  /** The first syntax error. */
  readonly error: string | null
}

/**
 * Everything a file reaches for: imports and re-exports of values and types, dynamic imports, `import('x').Type`,
 * `import.meta.resolve(...)`, `require(...)` and `new URL('x.js', import.meta.url)`.
 * `import { type A }` counts as a value: with verbatimModuleSyntax the module is still loaded.
 */
export function readImports(path: string, source: string): FileImports {
  const { program, errors } = parseSync(path, source)
  const imports: Import[] = []
  let readsEnv = false
  const add = (load: Import['load'], specifier: string | null) => imports.push({ specifier, load })
  const byKind = (kind: 'type' | 'value' | undefined) => (kind === 'type' ? 'type' : 'now')

  new Visitor({
    ImportDeclaration(node) {
      add(byKind(node.importKind), node.source.value)
      if (/^(node:)?process$/.test(node.source.value) && node.specifiers.some(isEnv)) readsEnv = true
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) add(byKind(node.exportKind), node.source.value)
    },
    ExportAllDeclaration(node) {
      add(byKind(node.exportKind), node.source.value)
    },
    TSImportType(node) {
      add('type', node.source.value)
    },
    ImportExpression(node) {
      add('later', literal(node.source))
    },
    CallExpression({ callee, arguments: [first] }) {
      const required = callee.type === 'Identifier' && callee.name === 'require'
      const resolved = member(callee) === 'resolve' && 'object' in callee && callee.object.type === 'MetaProperty'
      if (required || resolved) add(required ? 'now' : 'later', literal(first))
    },
    NewExpression({ callee, arguments: [first, base] }) {
      const beside = base !== undefined && member(base) === 'url' && 'object' in base
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || !beside || base.object.type !== 'MetaProperty')
        return
      const specifier = literal(first)
      if (specifier === null || /\.[jt]sx?$/.test(specifier)) add('later', specifier?.replace(/\.js$/, '.ts') ?? null)
    },
    MemberExpression(node) {
      if (member(node) === 'env' && isProcess(node.object)) readsEnv = true
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== 'ObjectPattern' || init === null || !isProcess(init)) return
      if (id.properties.some((it) => it.type === 'Property' && it.key.type === 'Identifier' && it.key.name === 'env')) {
        readsEnv = true
      }
    },
  }).visit(program)
  return { imports, readsEnv, error: errors[0]?.message ?? null }
}

function literal(node: Expression | Argument | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null
  return null
}

/** The name of the property that an expression reads: `b` for `a.b` and `a['b']`. */
function member(node: Expression | Argument): string | null {
  if (node.type !== 'MemberExpression') return null
  if (node.property.type === 'Identifier' && !node.computed) return node.property.name
  return node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : null
}

function isProcess(node: Expression): boolean {
  return (node.type === 'Identifier' && node.name === 'process') || member(node) === 'process'
}

function isEnv(node: ImportDeclarationSpecifier): boolean {
  return node.type === 'ImportSpecifier' && node.imported.type === 'Identifier' && node.imported.name === 'env'
}
