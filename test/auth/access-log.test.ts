import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectPlan } from '../../client/sdk/index.ts'
import { line, newDirectory, start } from '../cli/bin.ts'
import { newGuardedApp, tokenOf } from '../helpers/tokens.ts'
import { describePage, isOnline, visit } from '../ui/browser.ts'

const NGINX = '/usr/sbin/nginx'

interface LoggingProxy {
  readonly url: string
  /** All that stands in its access log. */
  readonly log: () => string
}

/** What any proxy logs: the first line of each request, and where it came from. */
async function ownProxy(target: string): Promise<LoggingProxy> {
  const lines: string[] = []
  const { hostname, port } = new URL(target)
  const server = createServer()
  server.on('connection', (socket) => {
    const upstream = connect(Number(port), hostname)
    socket.on('data', (data: Buffer) => {
      const text = data.toString('latin1')
      if (/^[A-Z]+ \S+ HTTP/.test(text)) lines.push(/^.*/.exec(text)?.[0] ?? '', /^Referer: .*/im.exec(text)?.[0] ?? '')
    })
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  const { port: own } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${own}`, log: () => lines.join('\n') }
}

/** A real nginx, with the log that it writes when nobody says otherwise. */
async function nginx(target: string): Promise<LoggingProxy> {
  const folder = await newDirectory()
  const log = join(folder, 'access.log')
  const port = await freePort()
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log notice;
     events {}
     http {
       access_log ${log} combined;
       client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
       uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass ${target}; proxy_http_version 1.1; proxy_set_header Host $http_host;
           proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
         }
       }
     }`,
  )
  const child = spawn(NGINX, ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGQUIT'))
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(async () => (await fetch(`${url}/healthz`).catch(() => null))?.status, { timeout: 15_000 })
    .toBe(200)
  return { url, log: () => readFileSync(log, 'utf8') }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const PROXIES = [['a proxy that logs', ownProxy], ...(existsSync(NGINX) ? [['nginx', nginx] as const] : [])] as const

for (const [name, proxy] of PROXIES) {
  test(`[11-F27] the log of ${name} holds no token of the library or the command line`, async () => {
    const { url: target } = await newGuardedApp()
    const { url, log } = await proxy(target)
    const token = await tokenOf()
    const plan = connectPlan({ url, thread: 'demo', name: 'Ada', token })
    const asked = connectPlan({ url, thread: 'demo', name: 'Bob', token: () => token })
    await Promise.all([plan.whenSynced(), asked.whenSynced()])
    const watch = start(['watch', 'demo', '--url', url, '--token', token])
    onTestFinished(() => void watch.kill('SIGKILL'))
    await line(watch, /live at/)
    watch.kill('SIGTERM')
    await Promise.all([plan.close(), asked.close()])
    // Nginx writes down a connection when it has ended.
    await expect.poll(log, { timeout: 15_000 }).toMatch(/GET \/sync\/demo[^\n]*\n[^]*GET \/sync\/demo/)
    expect(log()).not.toContain(token)
    expect(log()).not.toContain('token=')
  })
}

describePage('the page', () => {
  test('[11-F27] leaves no token in the log of a proxy', async () => {
    const { url: target } = await newGuardedApp()
    const { url, log } = await ownProxy(target)
    const token = await tokenOf({ kind: 'human' })
    const page = await visit(`${url}/t/demo#token=${token}`)
    await isOnline(page)
    await expect.poll(log, { timeout: 15_000 }).toContain('GET /sync/demo')
    expect(log()).not.toContain(token)
  })
})
