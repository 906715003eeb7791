import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS } from '../../client/cli/commands.ts'
import { SECRET } from '../helpers/tokens.ts'
import { BIN, callTool, line, newDirectory, newServer, planroom, start } from './bin.ts'

// eslint-disable-next-line no-control-regex
const ESCAPE = /\u001b/
const REMOTE = COMMANDS.filter(({ options }) => 'url' in options && 'token' in options).map(({ name }) => name)

async function onServer() {
  const { url } = await newServer()
  const env = { PLANROOM_URL: url, PLANROOM_THREAD: 'holiday', PLANROOM_NAME: 'ada' }
  return {
    url,
    run: (args: readonly string[], input?: string) =>
      planroom(args, { env, ...(input === undefined ? {} : { input }) }),
  }
}

describe('a plan', () => {
  test('is changed, shown and exported', async () => {
    const { run } = await onServer()
    const added = await run(['call', 'add_todos', '{"steps": [{"text": "Book"}, {"text": "Compare", "depth": 1}]}'])
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(added.stdout)).toMatchObject({ success: true, version: 1 })
    expect((await run(['call', 'toggle_todos', '-', '--json'], '{"indices": [2]}')).stdout).toContain('"changed":[')
    const shown = await run(['show'])
    expect(shown.stdout).toBe('holiday · version 2 · 1 of 2 done\n\n#1  [ ] Book\n#2    [x] Compare\n')
    expect(JSON.parse((await run(['show', 'holiday', '--json'])).stdout)).toMatchObject({
      version: 2,
      steps: [{ text: 'Book' }, { depth: 1 }],
    })
    expect((await run(['export'])).stdout).toBe(
      '- [ ] Book\n  - [x] Compare\n\n<!-- a plan of Planroom, format 1 -->\n',
    )
    expect(JSON.parse((await run(['export', '--json'])).stdout)).toMatchObject({ thread: 'holiday' })
    expect((await run(['context', '--for', 'agent-a'])).stdout).toContain('#2  1.1  [x] Compare')
    expect((await run(['context', '--dialect', 'tasks'])).stdout).toContain('## Tool TODOs')
    expect(JSON.parse((await run(['context', '--json'])).stdout)).toMatchObject({
      dialect: 'outline',
      block: expect.stringContaining('Book') as unknown,
    })
    expect((await run(['threads'])).stdout).toMatch(/^holiday {2}2 changes/)
    expect((await run(['threads', '--names'])).stdout).toBe('holiday\n')
    expect(JSON.parse((await run(['threads', '--json'])).stdout)).toMatchObject({
      threads: [{ thread: 'holiday', version: 2 }],
    })
  })

  test('has a history', async () => {
    const { run } = await onServer()
    await run(['call', 'add_todos', '{"steps": [{"text": "a"}], "action_and_reasoning": "To begin."}'])
    await run(['call', 'list_todos', '{}', '--name', 'José 🦊'])
    await run(['call', 'toggle_todos', '{"indices": [1]}', '--name', 'José 🦊'])
    const { stdout } = await run(['history'])
    expect(stdout).toMatch(
      /^v1 {2}.* ada \(http add_todos\) {2}added 1 step: a\n {4}To begin\.\nv2 {2}.* José 🦊 \(http toggle_todos\)/,
    )
    expect(JSON.parse((await run(['history', '--last', '1', '--json'])).stdout)).toMatchObject({
      entries: [{ version: 2 }],
    })
    expect((await run(['history', '--after', '2'])).stdout).toBe('')
    // [10-F2] What a text took the place of is there as well.
    await run(['call', 'update_todos', '{"updates": [{"index": 1, "text": "b"}]}'])
    expect((await run(['history', '--last', '1'])).stdout).toMatch(/renamed 1 step: b\n {4}the text before: a\n$/)
  })

  test('is made of Markdown, and says what was left out', async () => {
    const { run } = await onServer()
    const file = join(await newDirectory(), 'todo.md')
    writeFileSync(file, '\uFEFF# Trip\r\n\r\nIntro.\r\n\r\n## Before\r\n- [x] Book\r\n\t- [ ] Compare\r\n')
    const dry = await run(['import', file, '--dry-run'])
    expect(dry.stdout).toBe(`${file} would bring 2 steps in 1 group into holiday.\n`)
    expect((await run(['show'])).code).toBe(6)
    const done = await run(['import', file])
    expect(done).toEqual({
      code: 0,
      stdout: 'Imported 2 steps in 1 group into holiday.\n',
      stderr: 'left out line 3: text that belongs to no step\n',
    })
    const again = await run(['import', file])
    expect([again.code, again.stderr]).toEqual([
      3,
      expect.stringContaining('has 2 steps already. Nothing was changed.'),
    ])
    expect((await run(['import', file, '--strict', '--append'])).code).toBe(3)
    expect(JSON.parse((await run(['import', file, '--append', '--json'])).stdout)).toMatchObject({
      steps: 2,
      groups: 1,
      leftOut: [{ line: 3, why: 'text that belongs to no step' }],
    })
    expect((await run(['show'])).stdout).toContain('2 of 4 done')
    expect((await run(['import', file, '--replace'])).code).toBe(0)
    expect((await run(['export'])).stdout).toBe(
      '# Trip\n\n## Before\n\n- [x] Book\n  - [ ] Compare\n\n<!-- a plan of Planroom, format 1 -->\n',
    )
  })

  test('[12-9] a file of which more than a tenth of the items is left out is refused, unless --lenient', async () => {
    const { run } = await onServer()
    const file = (boxes: number): string => `${'- [ ] a\n'.repeat(boxes)}\n> - quoted\n`
    const first = await run(['import', '-'], file(8))
    expect(first).toMatchObject({ code: 1, stdout: '' })
    expect(first.stderr).toMatch(/^1 of the 9 list items of standard input would be left out\.\nleft out line 10: /)
    expect(first.stderr).toContain('Nothing was changed.')
    expect((await run(['import', '-', '--dry-run'], file(8))).code).toBe(1)
    expect((await run(['show'])).code).toBe(6)
    expect(await run(['import', '-', '--lenient'], file(8))).toMatchObject({
      code: 0,
      stdout: 'Imported 8 steps into holiday.\n',
    })
    expect((await run(['import', '-', '--append'], file(9))).code).toBe(0)
  })

  test('goes from one thread to another as it is, 1,200 steps of it', async () => {
    const { run } = await onServer()
    const markdown = Array.from(
      { length: 1_200 },
      (_, i) => `${'  '.repeat(i % 5)}- [${i % 3 === 0 ? 'x' : ' '}] step ${i}`,
    ).join('\n')
    expect((await run(['import', '-', '-t', 'one'], markdown)).code).toBe(0)
    const { stdout } = await run(['export', 'one'])
    expect((await run(['import', '-', '-t', 'two'], stdout)).code).toBe(0)
    expect((await run(['export', 'two'])).stdout).toBe(stdout)
    const output = join(await newDirectory(), 'two.md')
    expect(await run(['export', 'two', '-o', output])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(output, 'utf8')).toBe(stdout)
  })

  test('of 10,000 steps is put in the place of another of as many', async () => {
    const { run } = await onServer()
    const plan = (text: string): string => `${text}\n`.repeat(10_000)
    expect((await run(['import', '-'], plan('- [ ] old'))).code).toBe(0)
    expect((await run(['import', '-', '--append'], plan('- [ ] more'))).stderr).toContain('at most 10000 steps')
    expect((await run(['import', '-', '--replace'], plan('- [x] new'))).code).toBe(0)
    const { steps } = JSON.parse((await run(['show', '--json'])).stdout) as { steps: { text: string }[] }
    expect([steps.length, new Set(steps.map(({ text }) => text))]).toEqual([10_000, new Set(['new'])])
  })

  test('[RB-I5] titles and texts of any kind survive the way through a server', async () => {
    const { run } = await onServer()
    const texts = [
      '計画',
      '👩‍👩‍👧‍👦',
      'שלום \u202Eabc\u202C',
      'a\u0000b',
      'CON',
      'a:b',
      '..\\',
      'two\nlines',
      '計画'.repeat(1_700),
    ]
    const args = JSON.stringify({ steps: texts.map((text) => ({ text })) })
    expect((await run(['call', 'add_todos', '-'], args)).code).toBe(0)
    const { stdout } = await run(['export'])
    expect((await run(['import', '-', '-t', 'copy'], `# ${texts[0]}\n${stdout}`)).code).toBe(0)
    const copy = JSON.parse((await run(['show', 'copy', '--json'])).stdout) as {
      title: string
      steps: { text: string }[]
    }
    expect(copy.title).toBe(texts[0])
    expect(copy.steps.map(({ text }) => text)).toEqual(texts)
  })

  test('is watched: a line for each thing into a pipe, JSON for a program', async () => {
    const { url, run } = await onServer()
    const env = { PLANROOM_URL: url }
    const people = start(['watch', 'holiday'], { env })
    const program = start(['watch', 'holiday', '--json'], { env })
    onTestFinished(() => void [people, program].map((child) => child.kill('SIGKILL')))
    await Promise.all([
      line(people, /live at/),
      line(people, /holiday · version 0 · 0 of 0 done/),
      line(program, /"kind":"online"/),
      line(program, /"type":"plan"/),
    ])
    const told = Promise.all([
      line(people, /ada \(add_todos\): added 1 step: Pack/),
      line(program, /"type":"change"/),
      line(program, /"type":"activity"/),
    ])
    await run(['call', 'add_todos', '{"steps": [{"text": "Pack"}]}'])
    const [first, second, third] = await told
    expect(JSON.parse(third)).toMatchObject({ version: 1, actor: { name: 'ada' }, tool: 'add_todos' })
    expect(first).not.toMatch(ESCAPE)
    expect(JSON.parse(second)).toMatchObject({ changes: [{ did: ['added'], place: 1, after: { text: 'Pack' } }] })
    const ended = new Promise((resolve) => people.once('close', resolve))
    people.kill('SIGINT')
    expect(await ended).toBe(0)
    const gone = new Promise((resolve) => program.once('close', resolve))
    await fetch(`${url}/threads/holiday`, { method: 'DELETE' })
    expect(await gone).toBe(6)
  })
})

test('[11-F29] a plan that is there is shown first, then what happens, by whom, when and why', async () => {
  const { url } = await newServer()
  for (const name of ['cid', 'dee']) {
    const steps = Array.from({ length: 150 }, (_, i) => `${name} ${i}`)
    await callTool(url, 'holiday', 'add_todos', { steps }, name)
  }
  const child = start(['watch', 'holiday'], { env: { PLANROOM_URL: url, PLANROOM_NAME: 'ann' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout?.on('data', (part: Buffer) => (text += String(part)))
  await line(child, /lines more: planroom show holiday prints all/)
  expect(text).toContain('holiday · version 2 · 0 of 300 done\n')
  expect(text).toContain('#1  [ ] cid 0\n')
  expect(text.split('\n').length).toBeLessThan(110)
  expect(text).not.toContain('added')
  const told = line(child, /renamed/)
  await callTool(url, 'holiday', 'toggle_todos', { indices: [1], action_and_reasoning: 'It is done' }, 'cid')
  await callTool(url, 'holiday', 'update_todos', { updates: [{ index: 1, text: 'X' }] }, 'eve')
  await callTool(url, 'holiday', 'update_todos', { updates: [{ index: 2, text: 'Y' }] }, 'cid')
  await told
  // Eve had not looked: her call was refused, and is no happening.
  expect(text.slice(text.indexOf('prints all'))).toMatch(
    /prints all\n\d\d:\d\d:\d\d {2}cid \(toggle_todos\): completed 1 step: cid 0 — It is done\n\d\d:\d\d:\d\d {2}cid \(update_todos\): renamed 1 step: Y\n$/,
  )
})

describe('exit codes', () => {
  test('3: the plan refuses', async () => {
    const { run } = await onServer()
    const refused = await run(['call', 'plan_todo_write', '{"action": {"type": "Start", "id": "ghost"}}'])
    expect(refused.code).toBe(3)
    expect(refused.stdout).toContain("Task 'ghost' does not exist")
    expect((await run(['import', '-'], 'no steps')).code).toBe(3)
    const long = await run(['import', '-'], '- [ ] a\n'.repeat(10_001))
    expect([long.code, long.stderr]).toEqual([3, expect.stringContaining('at most 10000 steps')])
  })

  test('[11-F37] 2: a setting of the server that is none', async () => {
    const { code, stderr } = await planroom(['serve', '--port', 'abc'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('PORT')])
  })

  test('4: no server answers, whatever is asked', async () => {
    for (const name of REMOTE.filter((one) => one !== 'doctor' && one !== 'mcp')) {
      const args = { call: ['add_todos'], import: ['-'] }[name] ?? []
      const input = '- [ ] a'
      const ran = await planroom(
        [name, ...args, ...(name === 'threads' ? [] : ['-t', 'x']), '-u', 'http://127.0.0.1:9'],
        { input },
      )
      expect([name, ran.code, ran.stdout]).toEqual([name, 4, ''])
      expect(ran.stderr).toContain('No server answers at http://127.0.0.1:9')
      expect(ran.stderr).toContain('planroom serve')
    }
    expect((await planroom(['demo', '--url', 'http://127.0.0.1:9'])).code).toBe(4)
  })

  test('5: no token, a bad one, one that does not reach', async () => {
    const { url } = await newServer({ PLANROOM_SECRET: SECRET })
    const made = await planroom(['token', '--name', 'v', '--role', 'viewer', '--thread', 'a*', '--json'], {
      env: { PLANROOM_SECRET: SECRET },
    })
    const { token } = JSON.parse(made.stdout) as { token: string }
    const env = { PLANROOM_URL: url, PLANROOM_TOKEN: token }
    expect((await planroom(['threads'], { env: { PLANROOM_URL: url } })).stderr).toContain('Set PLANROOM_TOKEN')
    expect((await planroom(['threads', '--token', 'nonsense'], { env })).code).toBe(5)
    expect((await planroom(['threads'], { env })).code).toBe(0)
    expect((await planroom(['show', 'b'], { env })).code).toBe(5)
    expect((await planroom(['call', 'add_todos', '{"steps": ["x"]}', '-t', 'a'], { env })).code).toBe(5)
    expect((await planroom(['import', '-', '-t', 'a'], { env, input: '- [ ] a' })).code).toBe(5)
    expect((await planroom(['watch', 'b'], { env })).code).toBe(5)
  })

  test('6: no such thread, a deleted one, no such file', async () => {
    const { url, run } = await onServer()
    for (const name of ['show', 'export', 'history']) expect((await run([name, 'nowhere'])).code).toBe(6)
    await callTool(url, 'holiday', 'add_todos', { steps: ['a'] })
    await fetch(`${url}/threads/holiday`, { method: 'DELETE' })
    for (const name of ['show', 'export', 'history', 'context', 'watch']) expect((await run([name])).code).toBe(6)
    expect((await run(['call', 'add_todos', '{}'])).code).toBe(6)
    expect((await run(['import', '-'], '- [ ] a')).code).toBe(6)
    expect((await run(['import', '/nowhere.md'])).stderr).toContain('There is no file /nowhere.md.')
  })

  test('1: what answers is no Planroom', async () => {
    const { createServer } = await import('node:http')
    const server = createServer((_request, response) => void response.end('<html>')).listen(0)
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const ran = await planroom(['threads', '--url', `http://127.0.0.1:${port}`])
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('is no Planroom server')])
  })

  test.each([
    [['shwo'], 'There is no command "shwo". Did you mean show?'],
    [['show', '--urll', 'x'], 'Unknown option --urll. Did you mean --url?'],
    [['show'], 'Which thread? Give it with --thread, or set PLANROOM_THREAD.'],
    [['show', '../etc'], '"../etc" is no thread id'],
    [['show', 'a', '-t', 'b'], 'Two threads are given'],
    [['show', 'a', 'b'], 'There is one argument too many: "b".'],
    [['show', 'a', '--url', 'ftp://x'], '--url is an address such as'],
    [['show', 'a', '--json=yes'], '--json'],
    [['call', '-t', 'a'], 'TOOL is missing.'],
    [['call', 'add_todos', '{steps', '-t', 'a'], 'The arguments are not JSON'],
    [['import', '-t', 'a'], 'FILE is missing.'],
    [['import', 'x', '-t', 'a', '--append', '--replace'], 'give one of them'],
    [['history', 'a', '--last', 'x'], '--last is a whole number from 1'],
    [['context', 'a', '--max-tokens', '5'], '--max-tokens is a whole number from 100'],
    [['backup'], 'FILE is missing.'],
    [['verify', 'x.db', '--repair'], '--repair is for a data directory'],
    [['compact', '--keep-days', '-1'], 'keep-days'],
    [['completion', 'fish'], 'SHELL is bash or zsh'],
    [['token'], 'PLANROOM_SECRET is not set.'],
    [['mcp'], 'Which thread?'],
    [['demo', '--seconds', 'x'], '--seconds is a number'],
  ])('2: %j', async (args, said) => {
    const ran = await planroom(args)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(said)
    expect(ran.stderr).toMatch(/See: planroom .*--help/)
    const asJson = await planroom([...args, '--json'])
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { exitCode: 2 } })
  })

  test('2: a tool or a dialect that there is not', async () => {
    const { run } = await onServer()
    const ran = await run(['call', 'add_todo', '{}'])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('There is no tool "add_todo"')])
    expect((await run(['context', '--dialect', 'klingon'])).code).toBe(2)
  })
})

describe('serve', () => {
  test('is a server, on the port and the directory it is given, until it is told to end', async () => {
    const directory = await newDirectory()
    const server = start(['serve', '--port', '0', '--data', directory], {
      env: { PLANROOM_THREAD: 'x', PLANROOM_NAME: 'y' },
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    const { url } = JSON.parse(await line(server, /listening on/)) as { url: string }
    expect((await planroom(['threads', '--url', url])).stdout).toBe('There are no plans yet.\n')
    const second = await planroom(['serve', '--port', '0', '-d', directory])
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('Another Planroom server is using')])
    const ended = new Promise((resolve) => server.once('close', resolve))
    server.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect((await planroom(['serve'], { env: { PORT: 'x' } })).stderr).toContain('PORT is a whole number')
  })
})

describe('help', () => {
  test('every command has a page: what it is for, every option, exit codes, examples that it understands', async () => {
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await planroom([command.name, '--help'])
      expect([command.name, code, stderr]).toEqual([command.name, 0, ''])
      for (const title of ['NAME', 'USAGE', 'DESCRIPTION', 'OPTIONS', 'EXIT CODES', 'EXAMPLES'])
        expect(stdout).toContain(`${title}\n`)
      for (const option of Object.keys(command.options)) expect(stdout).toContain(`--${option}`)
      expect(command.examples.length).toBeGreaterThan(0)
      expect(stdout).not.toMatch(ESCAPE)
    }
    expect(BIN && readFileSync(BIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  test('the overview names all of them', async () => {
    const { code, stdout } = await planroom(['--help'])
    expect(code).toBe(0)
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}`, 'm'))
    const none = await planroom([])
    expect([none.code, none.stdout, none.stderr]).toEqual([2, '', stdout])
    const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version
    expect((await planroom(['--version'])).stdout).toBe(`${version}\n`)
    expect((await planroom(['help', 'show'])).stdout).toBe((await planroom(['show', '--help'])).stdout)
  })
})
