import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { newApp } from '../helpers/http.ts'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** What must pass, by revision. The rest of the suite runs too, and may only fail where conformance.yml says why. */
const MUST_PASS = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
  ],
}

test.each(Object.entries(MUST_PASS))(
  'the conformance suite passes at %s',
  { timeout: 60_000 },
  async (revision, names) => {
    const { url } = await newApp().listen()
    const { code, output } = await runSuite(`${url}/threads/plan/mcp`, revision)
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    for (const name of names) expect(output).toMatch(new RegExp(`✓ ${name}: [1-9]\\d* passed, 0 failed`))
    if (revision === '2026-07-28') expect(output).toContain('server-stateless: 24 passed, 4 failed')
  },
)

async function runSuite(url: string, revision: string): Promise<{ code: number | null; output: string }> {
  const program = require.resolve('@modelcontextprotocol/conformance/dist/index.js')
  const suite = [program, 'server', '--url', url]
  const options = ['--suite', 'all', '--spec-version', revision, '--expected-failures', 'test/mcp/conformance.yml']
  const args = ['--import', './scripts/conformance-on-node-20.mjs', ...suite, ...options]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
