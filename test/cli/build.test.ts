import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newDirectory } from './bin.ts'

const PATH = process.env['PATH'] ?? ''
const npm = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync('npm', args, { cwd, env: { PATH, ...env }, encoding: 'utf8' })

/** The folder as a production installation leaves it: no compiler, no sources of the server. */
async function productionFolder(): Promise<string> {
  const folder = await newDirectory()
  cpSync('package.json', join(folder, 'package.json'))
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  for (const { from, to } of copied()) cpSync(from, join(folder, to), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    const at = join(folder, 'node_modules', name)
    mkdirSync(join(at, '..'), { recursive: true })
    symlinkSync(resolve('node_modules', name), at)
  }
  return folder
}

/** What the last stage of the Dockerfile takes over from the sources besides dist. */
const copied = () =>
  [...readFileSync('Dockerfile', 'utf8').matchAll(/^COPY --from=build \/app\/(scripts\/\S+) (\S+)$/gm)].map(
    ([, from = '', to = '']) => ({ from, to: to.endsWith('/') ? join(to, from.slice(from.lastIndexOf('/') + 1)) : to }),
  )

describe('[11-F28] without a compiler', () => {
  test('what was built starts, and makes tokens', async () => {
    const folder = await productionFolder()
    const token = npm(folder, ['run', '--silent', 'token', '--', '--name', 'ada'], { PLANROOM_SECRET: 's'.repeat(32) })
    expect([token.status, token.stdout]).toEqual([0, expect.stringMatching(/^ey[\w.-]+\n$/)])
    // A setting that is refused says that the server itself was reached.
    const started = npm(folder, ['start'], { PORT: 'none' })
    expect(started.stderr).toContain('PORT is a whole number')
    expect(existsSync(join(folder, 'dist/server/main.js'))).toBe(true)
  })

  test('a build takes nothing away, and says what is missing', async () => {
    const folder = await newDirectory()
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'dist/kept.js'), '')
    const built = spawnSync(process.execPath, [resolve('scripts/build.mjs')], {
      cwd: folder,
      env: { PATH: folder },
      encoding: 'utf8',
    })
    expect(built.status).not.toBe(0)
    expect(built.stderr).toContain('npm ci')
    expect(existsSync(join(folder, 'dist/kept.js'))).toBe(true)
  })
})
