/**
 * Builds the package `planroom`, the library for clients, into dist-client/: its own package.json, compiled sources and
 * types, and nothing of the server. A folder of its own, since dist/ is the server's and is emptied by every build.
 *
 *   node scripts/pack-client.mjs [folder]     then: npm pack ./dist-client, or npm publish ./dist-client
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = resolve(process.argv[2] ?? join(root, 'dist-client'))
const ENTRIES = {
  './client': 'client/sdk/index',
  './client/tools': 'client/sdk/tools',
  './client/tasks': 'client/sdk/task-plan',
}
/** What the sources import; a test compares. */
const DEPENDENCIES = ['lib0', 'y-protocols', 'y-websocket', 'zod']

const server = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const rangeOf = (name) => server.dependencies[name]

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
compile()
mendTypes(out)
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
writeFileSync(join(out, 'README.md'), readme())
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
console.log(`The package planroom ${server.version} is in ${relative(process.cwd(), out) || '.'}`)

/** Only what the entries reach. */
function compile() {
  const config = join(out, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: { outDir: out, rootDir: root, declaration: true, sourceMap: false, typeRoots: [join(root, 'node_modules/@types')] }, // prettier-ignore
      include: [],
      files: Object.values(ENTRIES).map((entry) => join(root, `${entry}.ts`)),
    }),
  )
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], { stdio: 'inherit' })
  } finally {
    rmSync(config)
  }
}

/** The compiler writes `.js` into the code, but leaves `.ts` in the types, where a package has none. */
function mendTypes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) mendTypes(path)
    else if (path.endsWith('.d.ts')) {
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replaceAll(/(from|import\() ?(['"])(\.[^'"]*)\.ts\2/g, '$1 $2$3.js$2').replaceAll('import( ', 'import(')) // prettier-ignore
    }
  }
}

function manifest() {
  return {
    name: 'planroom',
    version: server.version,
    description: 'A live plan that agents and people share: the library for clients',
    license: server.license,
    type: 'module',
    sideEffects: false,
    engines: server.engines,
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([name, path]) => [name, { types: `./${path}.d.ts`, default: `./${path}.js` }]),
      ),
      './package.json': './package.json',
    },
    files: ['client', 'shared'],
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, rangeOf(name)])),
    peerDependencies: { ws: rangeOf('ws'), yjs: rangeOf('yjs') },
    peerDependenciesMeta: { ws: { optional: true } },
  }
}

function readme() {
  return `# planroom

A live plan from a Planroom server, for browsers and Node: it can be changed at
any time, online or not, and merges without loss.

\`\`\`sh
npm install planroom yjs     # and ws, on Node before 22
\`\`\`

\`\`\`js
import { connectPlan, indexedDbStore, newStepId } from 'planroom/client'

const live = connectPlan({
  url: 'http://127.0.0.1:4080',
  thread: 'holiday',
  name: 'ada',
  store: indexedDbStore('planroom/holiday/ada'), // on Node: fileStore('holiday.plan')
})
live.subscribe((event) => console.log(event.type, live.status.kind, live.unsaved))
live.apply([{ type: 'addSteps', parent: null, steps: [{ id: newStepId(), text: 'Pack', depth: 0 }] }])
live.undo()
await live.whenSaved() // the server has it on disk
\`\`\`

In React: \`useSyncExternalStore(live.subscribe, live.getSnapshot)\`. The tools for agents, on the same plan:

\`\`\`js
import { planTools } from 'planroom/client/tools'

const live = connectPlan({ url, thread, name: 'agent', kind: 'agent', tools: planTools })
const reply = await live.call('add_todos', { steps: [{ text: 'Look at the logs' }] })
\`\`\`

A store belongs to one plan and one account. From CommonJS: \`await import('planroom/client')\`.
`
}
