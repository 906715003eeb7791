/**
 * The end of `.ci/run`: the slowest test files, then `N passed, N failed` as the last line.
 *
 *   node scripts/summary.mjs <vitest's JSON report> <exit code of all steps so far>
 */
import { existsSync, readFileSync } from 'node:fs'

const [path, status] = process.argv.slice(2)
const report = existsSync(path)
  ? JSON.parse(readFileSync(path, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 0, testResults: [] }

const files = report.testResults.map(({ name, startTime, endTime, status: outcome, assertionResults }) => ({
  name: name.replace(/^.*[\\/](?=test[\\/])/, ''),
  seconds: (endTime - startTime) / 1000,
  // A file that fails to load has no tests that could fail.
  broken: outcome === 'failed' && !assertionResults.some((it) => it.status === 'failed'),
}))

if (files.length > 0) console.log('\nSlowest test files:')
for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 5))
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)

let failed = report.numFailedTests + files.filter((it) => it.broken).length
if (status !== '0' && failed === 0) {
  console.log(files.length > 0 ? '\nThe tests passed; another step failed.' : '\nA step failed before the tests.')
  failed = 1
}
console.log(`${report.numPassedTests} passed, ${failed} failed`)
