/**
 * Runs the production build the way the image runs it, kills it, and looks whether everything is still there.
 * Prints a line for each check; the exit code is 1 if one fails. Needs a build: `npm run build && npm run smoke`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { assemble, imageConfig } from './production.mjs'

const SECONDS = 1_000
const image = imageConfig()
const temporary = mkdtempSync(join(tmpdir(), 'planroom-smoke-'))
const app = join(temporary, 'app')
/** Whatever must not outlive this script. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

async function main() {
  await check('the production folder is assembled', () => assemble(app))

  const port = await freePort()
  const first = await check('the server starts and is healthy', () => start(port))
  await check("the image's health check passes", () => healthcheck(port))
  await check('the page is served', () => servePage(port))
  await check('a tool call adds two steps', () => addSteps(port))
  await check('a socket sees both steps', () => seeSteps(port))
  await check('the server is killed with -9', () => stop(first, 'SIGKILL'))

  const second = await check('it starts again on the same data', () => start(port))
  await check('the plan reads as before', () => readPlan(port))
  await check('a fresh socket sees both steps', () => seeSteps(port))
  await check('SIGTERM ends it with code 0 within 10 s', async () => {
    const code = await stop(second, 'SIGTERM')
    if (code !== 0) throw new Error(`the exit code is ${code}`)
  })
}

/** Prints how it went; a failure ends the run. */
async function check(name, act) {
  try {
    const result = await act()
    console.log(`ok      ${name}`)
    return result
  } catch (error) {
    console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}

function run([command, ...args], port) {
  const child = spawn(command === 'node' ? process.execPath : command, args, {
    cwd: app,
    env: { PATH: process.env.PATH, ...image.env, PORT: String(port), PLANROOM_DATA_DIR: join(temporary, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (child.output += text))
  return child
}

async function start(port) {
  const server = run(image.cmd, port)
  const notHealthy = () => `it is not healthy:\n${server.output}`
  await until(30 * SECONDS, notHealthy, async () => {
    if (!running.has(server)) throw new Error(`it ended with code ${server.exitCode}:\n${server.output}`)
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null)
    return reply?.ok === true
  })
  return server
}

async function healthcheck(port) {
  const probe = run(image.healthcheck, port)
  const [code] = await once(probe, 'exit')
  if (code !== 0) throw new Error(`the exit code is ${code}: ${probe.output}`)
}

async function stop(server, signal) {
  const exit = once(server, 'exit', { signal: AbortSignal.timeout(10 * SECONDS) })
  server.kill(signal)
  const [code] = await exit
  return code
}

async function servePage(port) {
  const page = await fetch(`http://127.0.0.1:${port}/t/smoke`)
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1]
  const reply = await fetch(`http://127.0.0.1:${port}${script}`)
  if (!reply.ok) throw new Error(`${page.status}, ${script}: ${reply.status}`)
}

async function addSteps(port) {
  const reply = await fetch(`http://127.0.0.1:${port}/threads/smoke/tools/add_todos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'smoke' },
    body: JSON.stringify({
      steps: [
        { text: 'A', depth: 0 },
        { text: 'B', depth: 1 },
      ],
    }),
  })
  const text = await reply.text()
  if (!reply.ok || JSON.parse(text).success !== true) throw new Error(`${reply.status} ${text}`)
}

async function readPlan(port) {
  const reply = await fetch(`http://127.0.0.1:${port}/threads/smoke/plan.md`)
  const text = await reply.text()
  if (!reply.ok || !/\bA\b[^]*\n[^]*\bB\b/.test(text)) throw new Error(`${reply.status} ${text}`)
}

async function seeSteps(port) {
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(`ws://127.0.0.1:${port}/sync`, 'smoke', doc, {
    WebSocketPolyfill: WebSocket,
    disableBc: true,
  })
  try {
    const outline = doc.getArray('outline')
    const seen = () => `it sees ${outline.length} steps`
    await until(10 * SECONDS, seen, () => provider.synced && outline.length === 2)
  } finally {
    provider.destroy()
    doc.destroy()
  }
}

/** Asks again and again, for the other side is another process. */
async function until(milliseconds, complaint, condition) {
  const end = Date.now() + milliseconds
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`after ${milliseconds / SECONDS} s ${complaint()}`)
    await new Promise((done) => setTimeout(done, 25))
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

function cleanUp() {
  for (const child of running) child.kill('SIGKILL')
  rmSync(temporary, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
process.once('exit', cleanUp)
main().then(
  () => process.exit(0),
  () => process.exit(1),
)
