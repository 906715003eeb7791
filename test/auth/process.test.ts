import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WireClient } from '../helpers/clients.ts'
import { newDataDirectory, runServer, startServer } from '../helpers/server-process.ts'
import { writeStep } from '../helpers/sockets.ts'
import { bearer, SECRET, tokenOf } from '../helpers/tokens.ts'

const CLI = resolve('dist/client/cli/planroom.js')

async function directory(): Promise<string> {
  const made = await newDataDirectory()
  onTestFinished(() => made.remove())
  return made.directory
}

/** Runs `planroom token`. */
async function cli(args: readonly string[], env: Readonly<Record<string, string>> = { PLANROOM_SECRET: SECRET }) {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env } }
  return promisify(execFile)(process.execPath, [CLI, 'token', ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  )
}

describe('a server with a secret', () => {
  test('takes the tokens that the command line makes, and remembers over a restart which it took back', async () => {
    const data = await directory()
    const env = { PLANROOM_SECRET: SECRET }
    const first = await startServer(data, env)
    onTestFinished(async () => void (await first.kill9()))
    const made = await cli(['--name', 'agent-a', '--role', 'editor', '--thread', 'demo-*'])
    expect([made.code, made.stdout.split('\n').length]).toEqual([0, 2])
    expect(made.stderr).toMatch(
      /^For agent-a, editor of demo-\*, until .* To revoke it: \{"tokenId": "[-0-9a-f]{36}"\}\n$/,
    )
    const token = made.stdout.trim()
    const put = async (url: string, thread: string, by: string) =>
      (await fetch(`${url}/threads/${thread}`, { method: 'PUT', headers: bearer(by) })).status
    expect(await put(first.url, 'demo-1', token)).toBe(201)
    expect(await put(first.url, 'other', token)).toBe(403)

    const root = (await cli(['--name', 'root', '--role', 'admin', '--expires', '5m'])).stdout.trim()
    const body = JSON.stringify({ subject: 'agent-a' })
    const revoked = await fetch(`${first.url}/admin/revoke`, { method: 'POST', headers: bearer(root), body })
    expect(revoked.status).toBe(200)
    expect(await put(first.url, 'demo-2', token)).toBe(401)
    await first.kill9()

    const second = await startServer(data, env)
    onTestFinished(async () => void (await second.kill9()))
    expect(await put(second.url, 'demo-2', token)).toBe(401)
    const client = WireClient.connect(second.socketUrl, 'demo-1', { parameters: `token=${token}` })
    expect(await client.closed).toEqual({ code: 4403, reason: 'the token was revoked' })
    expect(await put(second.url, 'demo-2', root)).toBe(201)
  })

  test('never writes a token down, whatever goes wrong', async () => {
    const server = await startServer(await directory(), { PLANROOM_SECRET: SECRET, PLANROOM_LOG_LEVEL: 'trace' })
    onTestFinished(async () => void (await server.kill9()))
    const good = await tokenOf({ role: 'admin' })
    const bad = await tokenOf({}, 'another secret, which is just as long')
    for (const token of [good, bad]) {
      for (const path of ['/threads', `/threads/plan?token=${token}`, '/nowhere', '/threads/plan/tools/add_todos']) {
        await fetch(server.url + path, { headers: bearer(token) })
        await fetch(server.url + path, { method: 'POST', headers: bearer(token), body: '{"broken' })
      }
      const client = WireClient.connect(server.socketUrl, 'plan', { parameters: `token=${token}` })
      if (token === bad) await client.closed
      else {
        await client.synced
        await client.write((doc) => writeStep(doc, 'a'))
        client.send(Uint8Array.of(99))
        await client.closed
      }
    }
    const body = JSON.stringify({ subject: 'ada' })
    await fetch(`${server.url}/admin/revoke`, { method: 'POST', headers: bearer(good), body })
    await server.stop()
    const said = server.output()
    expect(said).toContain('tokens were revoked')
    for (const secret of [SECRET, ...good.split('.').slice(1), ...bad.split('.').slice(1)])
      expect(said).not.toContain(secret)
  })

  test('does not start with a weak one, and does not show it', async () => {
    const weak = 'hunter2'
    const { code, output } = await runServer(await directory(), { PLANROOM_SECRET: weak })
    expect(code).toBe(1)
    expect(output).toBe('planroom: The configuration is wrong: PLANROOM_SECRET has at least 32 bytes.')
    expect(await cli(['--name', 'a'], { PLANROOM_SECRET: weak })).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('the command line', () => {
  test('says what is wrong, and makes no token then', async () => {
    const cases: [args: string[], reason: string][] = [
      [[], '--subject is empty.\n--name is empty.'],
      [['--name', 'a', '--role', 'boss'], '--role is one of viewer, editor, admin.'],
      [['--name', 'a', '--kind', 'system'], '--kind is agent or human.'],
      [['--name', 'a', '--thread', 'a b'], '--thread is a thread id, in which * stands for any characters.'],
      [['--name', 'a', '--expires', '31d'], '--expires is longer than servers take: 30d (PLANROOM_MAX_TOKEN_DAYS).'],
      [['--name', 'a', '--expires', 'soon'], '--expires is a number with m, h or d, such as 30d, not "soon".'],
      [['--nome', 'a'], 'Unknown option --nome. Did you mean --name?'],
    ]
    for (const [args, reason] of cases) {
      const { code, stdout, stderr } = await cli(args)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(reason)
    }
    expect((await cli(['--name', 'a'], {})).stderr).toContain('PLANROOM_SECRET is not set.')
    expect((await cli(['--help'])).stdout).toContain('planroom token [options]')
  })
})
