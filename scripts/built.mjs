/**
 * Builds if nothing was built yet: a build under a running server would take its files away. With `--fresh` it builds
 * whenever it can, so that what starts is what the sources say; where there is no compiler, or no sources, what was built
 * is good enough. What it says goes to standard error, for the output may be a protocol's.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const isBuilt = existsSync('dist/client/cli/planroom.js')
const canBuild =
  existsSync('tsconfig.build.json') && ['typescript', 'vite'].every((it) => existsSync(`node_modules/${it}`))
const isWanted = !isBuilt || (canBuild && process.argv.includes('--fresh'))

if (isWanted && !canBuild) {
  console.error(
    'Nothing is built, and it cannot be built here: that takes the sources and "npm ci" with development dependencies.',
  )
  process.exitCode = 1
} else if (isWanted) {
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: ['ignore', 2, 2] }).status ?? 1
}
