import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { COMMANDS } from '../../client/cli/commands.ts'
import { Progress, Terminal } from '../../client/cli/terminal.ts'
import { BIN, callTool, newServer, planroom } from './bin.ts'

/* eslint-disable no-control-regex */
const ESCAPE = /\u001b/
const exec = promisify(execFile)

describe('a terminal', () => {
  const stream = (isTTY: boolean) => {
    const written: string[] = []
    return { isTTY, written, write: (text: string) => written.push(text) }
  }

  test('has colours only if it is one, and nobody says no', () => {
    const paint = (isTTY: boolean, env: Record<string, string>, wants = true): string =>
      new Terminal(stream(isTTY), stream(false), env, wants).paint('red', 'x')
    expect(paint(true, {})).toBe('\u001b[31mx\u001b[0m')
    expect(paint(true, { NO_COLOR: '' })).toMatch(ESCAPE)
    for (const plain of [
      paint(false, {}),
      paint(true, { NO_COLOR: '1' }),
      paint(true, { TERM: 'dumb' }),
      paint(true, {}, false),
    ])
      expect(plain).toBe('x')
  })

  test('is not commanded by what others wrote; a pipe gets it as it is', () => {
    for (const [isTTY, expected] of [
      [true, 'a\uFFFD]0;owned\uFFFDb\n'],
      [false, 'a\u001b]0;owned\u0007b\n'],
    ] as const) {
      const out = stream(isTTY)
      new Terminal(out, stream(false), {}).printForeign('a\u001b]0;owned\u0007b\n')
      expect(out.written).toEqual([expected])
    }
  })

  test('shows a bar, and takes it away; elsewhere nothing', () => {
    const errors = stream(true)
    const bar = new Terminal(stream(false), errors, {}).progress('Copying')
    bar.update(1, 2)
    bar.end()
    expect(errors.written).toEqual([`\r\u001b[KCopying ${'█'.repeat(14)}${'░'.repeat(14)} 50 %`, '\r\u001b[K'])
    const none = stream(false)
    const silent = new Terminal(stream(true), none, {}).progress('Copying')
    silent.update(1, 2)
    silent.end()
    new Progress(null, 'x').end()
    expect(none.written).toEqual([])
  })

  test.skipIf(!existsSync('/usr/bin/script'))('draws a plan in place, until Ctrl-C', async () => {
    const { url } = await newServer()
    await callTool(url, 'holiday', 'add_todos', { steps: ['Pack\u001b[31m'] })
    const command = `exec ${process.execPath} ${BIN} watch holiday --url ${url}`
    const env = { PATH: process.env['PATH'], TERM: 'xterm' }
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { env, stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
    await vi.waitFor(() => expect(text).toContain('[ ] Pack [31m'), { timeout: 20_000 })
    expect(text).toContain('\u001b[H')
    await callTool(url, 'holiday', 'toggle_todos', { indices: [1] })
    await vi.waitFor(() => expect(text).toContain('completed 1 step: Pack'), { timeout: 20_000 })
    child.stdin.write('\u0003')
    expect((await ended)[0]).toBe(0)
  })
})

/** A folder with `planroom` in it, for PATH. */
function onPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'planroom-path-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'planroom'), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`, { mode: 0o755 })
  symlinkSync(process.execPath, join(folder, 'node'))
  return `${folder}:${process.env['PATH']}`
}

describe('completion', () => {
  const complete = async (words: readonly string[], env: Record<string, string>): Promise<string[]> => {
    const script = `eval "$(planroom completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _planroom; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await exec('bash', ['-c', script, 'bash', 'planroom', ...words], {
      env: { PATH: onPath(), ...env },
    })
    return stdout.split('\n').filter((word) => word !== '')
  }

  test('bash completes commands, options, values, threads, tools', async () => {
    const { url } = await newServer()
    await callTool(url, 'holiday', 'add_todos', { steps: ['a'] })
    const env = { PLANROOM_URL: url }
    expect(await complete(['ex'], env)).toEqual(['export'])
    expect(await complete([''], env)).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)))
    expect(await complete(['show', '--u'], env)).toEqual(['--url'])
    expect(await complete(['show', ''], env)).toEqual(['holiday'])
    expect(await complete(['call', 'add_t', ''], env)).toEqual([])
    expect(await complete(['call', '--thread', 'hol'], env)).toEqual(['holiday'])
    expect(await complete(['call', '-t', 'holiday', 'add_t'], env)).toEqual(['add_todos'])
    expect(await complete(['context', '--dialect', ''], env)).toEqual(['outline', 'tasks', 'checklist'])
    expect(await complete(['token', '--role', 'e'], env)).toEqual(['editor'])
    expect(await complete(['completion', ''], env)).toEqual(['bash', 'zsh'])
  })

  test.skipIf(!existsSync('/usr/bin/zsh'))('zsh takes what it is given', async () => {
    const script = `autoload -U compinit; compinit -u -D; eval "$(planroom completion zsh)"; print -l $_comps[planroom]; whence -w _planroom`
    const { stdout, stderr } = await exec('zsh', ['-fc', script], { env: { PATH: onPath(), HOME: tmpdir() } })
    expect([stdout, stderr]).toEqual(['_planroom\n_planroom: function\n', ''])
  })

  test('as JSON', async () => {
    expect(JSON.parse((await planroom(['completion', 'zsh', '--json'])).stdout)).toMatchObject({ shell: 'zsh' })
  })
})
