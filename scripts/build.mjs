/**
 * Builds into a folder beside `dist`, and puts it in the place of `dist` when all is there: a build that fails takes nothing
 * away.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'

const FRESH = `dist.new-${process.pid}`
const OLD = `dist.old-${process.pid}`

const drop = (folder) => rmSync(folder, { recursive: true, force: true })

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status === 0) return
  drop(FRESH)
  console.error(
    error?.code === 'ENOENT'
      ? `${command} is not installed: building takes the development dependencies (npm ci). What was built before is left as it was.`
      : `${command} failed. What was built before is left as it was.`,
  )
  process.exit(status || 1)
}

run('tsc', ['-p', 'tsconfig.build.json', '--outDir', FRESH])
run('vite', ['build', '--outDir', `../../${FRESH}/ui`])
chmodSync(`${FRESH}/client/cli/planroom.js`, 0o755)
if (existsSync('dist')) renameSync('dist', OLD)
renameSync(FRESH, 'dist')
drop(OLD)
