import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onServer, serve } from './live.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Everything that an app needs beside the package, from here: nothing is asked of a registry. */
const LOCAL = ['yjs', 'ws', 'lib0', 'isomorphic.js', 'y-protocols', 'y-websocket', 'zod']

let folder = ''
let tarball = ''

/** An empty project into which the tarball was installed. */
async function project(name: string, type: 'module' | 'commonjs'): Promise<string> {
  const directory = join(folder, name)
  await mkdir(directory)
  const local = Object.fromEntries(LOCAL.map((one) => [one, `file:${join(root, 'node_modules', one)}`]))
  const manifest = { name, private: true, type, dependencies: { planroom: `file:${tarball}`, ...local } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
  // --install-links copies where npm would link, as from a registry.
  const options = ['--install-links', '--offline', '--no-audit', '--no-fund', '--no-package-lock']
  await run('npm', ['install', ...options], { cwd: directory })
  return directory
}

/** Where packages of a name lie below a folder. */
function copiesOf(name: string, directory: string): string[] {
  const modules = join(directory, 'node_modules')
  if (!existsSync(modules)) return []
  return readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith('.')) return []
    const path = join(modules, entry.name)
    return [...(entry.name === name ? [path] : []), ...copiesOf(name, path)]
  })
}

/** Runs a script against a server. @returns what it printed as JSON */
async function runScript(directory: string, script: string, url: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run(process.execPath, [script, url], { cwd: directory })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Record<string, unknown>
}

/** What every app does, with `planroom/client` as `client`, its tools as `tools` and Yjs as `Y`. */
const BODY = `
  const url = process.argv[2]
  const live = client.connectPlan({ url, thread: 'holiday', name: 'app', tools: tools.planTools, store: client.fileStore('plan.log') })
  live.apply([{ type: 'addSteps', parent: null, steps: [{ id: client.newStepId(), text: 'Pack', depth: 0 }] }])
  const reply = await live.call('add_todos', { steps: [{ text: 'Go' }] })
  await live.whenSaved()
  const list = new tools.TodoList(tools.hostOf(live))
  console.log(JSON.stringify({
    texts: live.steps.map(({ text }) => text), success: reply.success, list: typeof list,
    isOneYjs: globalThis['__ $YJS$ __'] === true && new Y.Doc() instanceof Y.Doc,
  }))
  await live.close()
`
const EXPECTED = { texts: ['Pack', 'Go'], success: true, list: 'object', isOneYjs: true }

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'planroom-pack-')))
  const built = join(folder, 'package')
  await run(process.execPath, [join(root, 'scripts/pack-client.mjs'), built])
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built })
  tarball = join(folder, stdout.trim())
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('[RL-61] the package for clients', () => {
  test('holds code and types of its entries alone, runs nothing when it is installed, and says what it needs', async () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as Record<string, unknown>
    expect(manifest).toMatchObject({ name: 'planroom', type: 'module', sideEffects: false })
    expect(Object.keys(manifest['exports'] as object)).toEqual([
      './client',
      './client/tools',
      './client/tasks',
      './package.json',
    ])
    expect(Object.keys(manifest['dependencies'] as object)).toEqual(['lib0', 'y-protocols', 'y-websocket', 'zod'])
    expect(Object.keys(manifest['peerDependencies'] as object)).toEqual(['ws', 'yjs'])
    for (const field of ['scripts', 'bin', 'devDependencies', 'main']) expect(manifest).not.toHaveProperty(field)
    const { stdout } = await run('tar', ['-tzf', tarball])
    const files = stdout.trim().split('\n')
    expect(files.filter((file) => !/\.(js|d\.ts)$|package\.json$|README\.md$|LICENSE$/.test(file))).toEqual([])
    expect(files.filter((file) => /\/(server|cli|ui)\//.test(file))).toEqual([])
    // All that it imports it names.
    const imported = new Set<string>()
    for (const file of files.filter((one) => one.endsWith('.js'))) {
      const text = readFileSync(join(folder, file), 'utf8')
      for (const [, name = ''] of text.matchAll(/^(?:import|export) .*?from ['"]([^.'"][^'"]*)['"]/gm))
        imported.add(name.split('/')[0] ?? '')
    }
    expect([...imported].toSorted()).toEqual(['lib0', 'y-protocols', 'y-websocket', 'yjs', 'zod'])
  })

  test('works in an ES module project, typed, with one Yjs', async () => {
    const server = await serve()
    const directory = await project('esm', 'module')
    expect(copiesOf('yjs', directory)).toHaveLength(1)
    expect(copiesOf('lib0', directory)).toHaveLength(1)
    writeFileSync(
      join(directory, 'main.js'),
      `import * as Y from 'yjs'
       import * as client from 'planroom/client'
       import * as tools from 'planroom/client/tools'
       ${BODY}`,
    )
    expect(await runScript(directory, 'main.js', server.url)).toEqual(EXPECTED)
    expect((await onServer(server)).steps.map(({ text }) => text)).toEqual(EXPECTED.texts)

    writeFileSync(
      join(directory, 'typed.ts'),
      `import { connectPlan, indexedDbStore, type LivePlan, type PlanEvent } from 'planroom/client'
       import { planTools, TodoList, hostOf } from 'planroom/client/tools'
       const live: LivePlan = connectPlan({ url: 'http://x', thread: 't', store: indexedDbStore('x'), tools: planTools })
       live.subscribe((event: PlanEvent) => { if (event.type === 'change') event.changes.map(({ after }) => after?.text.length) })
       const text: string = live.getSnapshot().plan.steps[0]!.text
       // @ts-expect-error there is no such operation
       live.apply([{ type: 'nonsense' }])
       export default [text, new TodoList(hostOf(live))]`,
    )
    const options = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom'], types: [] } // prettier-ignore
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['typed.ts'] }))
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', directory]).catch(
      (error: unknown) => {
        throw new Error((error as { stdout: string }).stdout)
      },
    )
  })

  test('is bundled for a page: one Yjs, no zod, nothing of Node, nothing that is not used', async () => {
    const server = await serve()
    const directory = await project('bundled', 'module')
    writeFileSync(
      join(directory, 'page.js'),
      `import * as Y from 'yjs'
       import { connectPlan, newStepId } from 'planroom/client'
       const live = connectPlan({ url: process.argv[2], thread: 'holiday', name: 'page' })
       live.apply([{ type: 'addSteps', parent: null, steps: [{ id: newStepId(), text: 'Pack', depth: 0 }] }])
       await live.whenSaved()
       console.log(JSON.stringify({ texts: live.steps.map(({ text }) => text), isOneYjs: globalThis['__ $YJS$ __'] === true && new Y.Doc() instanceof Y.Doc }))
       await live.close()`,
    )
    const bundle = await rolldown({ input: join(directory, 'page.js'), cwd: directory, platform: 'browser' })
    const { output } = await bundle.write({ file: join(directory, 'bundle.js'), format: 'esm', minify: true })
    await bundle.close()
    const [{ code, modules }] = output
    const used = Object.entries(modules).flatMap(([id, module]) => (module.renderedLength > 0 ? [id] : []))
    expect(used.filter((id) => id.endsWith('yjs.mjs'))).toHaveLength(1)
    expect(used.filter((id) => /zod|dialects|file-store|local-plan|indexed-db/.test(id))).toEqual([])
    expect(code).not.toMatch(/(from|import) ?["']node:/)
    expect(await runScript(directory, 'bundle.js', server.url)).toEqual({ texts: ['Pack'], isOneYjs: true })
  })

  test('works in a CommonJS project by import()', async () => {
    const server = await serve()
    const directory = await project('commonjs', 'commonjs')
    expect(copiesOf('yjs', directory)).toHaveLength(1)
    writeFileSync(
      join(directory, 'main.js'),
      `void (async () => {
         const client = await import('planroom/client')
         const tools = await import('planroom/client/tools')
         const Y = await import('yjs')
         ${BODY}
       })()`,
    )
    expect(await runScript(directory, 'main.js', server.url)).toEqual(EXPECTED)
  })
})
