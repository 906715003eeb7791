/**
 * Carries out the last stage of the Dockerfile in a folder, without Docker: package.json, lock file, production
 * dependencies with the compiled addon, dist. The Dockerfile is read, not repeated, so that the two cannot differ.
 *
 *   npm ci && npm run build && npm run install:production -- <folder>
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** @returns {{ name: string, text: string }[]} the instructions of the last stage, lines joined */
function lastStage() {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines
    .slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), text: line.slice(line.indexOf(' ') + 1) }))
}

/** @returns {{ cmd: string[], healthcheck: string[], env: Record<string, string> }} how the image starts */
export function imageConfig() {
  const stage = lastStage()
  const find = (name) => stage.findLast((it) => it.name === name).text
  return {
    cmd: JSON.parse(find('CMD')),
    healthcheck: JSON.parse(find('HEALTHCHECK').replace(/^.*? CMD /, '')),
    env: Object.fromEntries(stage.filter((it) => it.name === 'ENV').map((it) => it.text.split(/=(.*)/s, 2))),
  }
}

/** @param {string} folder where the image's WORKDIR is laid out; made if it is not there */
export function assemble(folder) {
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of lastStage()) {
    if (name === 'COPY') copy(folder, text)
    else if (name === 'RUN' && text.startsWith('npm ')) run(folder, text)
  }
}

function copy(folder, text) {
  const [from, ...paths] = text.split(' ')
  const target = join(folder, paths.pop() ?? '')
  if (from !== '--from=build' || paths.length === 0) throw new Error(`Cannot read: COPY ${text}`)
  for (const path of paths) {
    const source = join(root, path.replace(/^\/app\//, ''))
    cpSync(source, text.endsWith('/') ? join(target, path.slice(path.lastIndexOf('/') + 1)) : target, {
      recursive: true,
    })
  }
}

function run(folder, command) {
  const { status } = spawnSync(command, { cwd: folder, shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`Failed: ${command}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === undefined) throw new Error('Say which folder: npm run install:production -- <folder>')
  assemble(resolve(process.argv[2]))
}
