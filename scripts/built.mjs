/**
 * Builds if nothing was built yet: a build under a running server would take its files away. What it says goes to
 * standard error, for the output may be a protocol's.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

if (!existsSync('dist/client/cli/planroom.js'))
  process.exitCode = spawnSync('npm', ['run', 'build'], { stdio: ['ignore', 2, 2] }).status ?? 1
