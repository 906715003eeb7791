import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planFiles } from '../../server/storage/plan-files.ts'

let base = ''
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'planroom-files-'))
  await mkdir(join(base, 'plans/deep'), { recursive: true })
  await writeFile(join(base, 'plans/a.md'), '## A\n')
  await writeFile(join(base, 'plans/deep/b.md'), '## B\n')
  await writeFile(join(base, 'secret.md'), 'secret')
  await mkdir(join(base, 'plans-too'))
  await writeFile(join(base, 'plans-too/c.md'), 'secret')
  await symlink(join(base, 'secret.md'), join(base, 'plans/link.md'))
  await symlink(base, join(base, 'plans/up'))
  await symlink(join(base, 'plans/a.md'), join(base, 'plans/inside.md'))
})
afterAll(() => rm(base, { recursive: true }))

const read = (path: string) => planFiles(join(base, 'plans')).read(path)

test('reads what lies in the folder, by a link inside of it too', async () => {
  expect(await read('a.md')).toEqual({ text: '## A\n' })
  expect(await read('deep/b.md')).toEqual({ text: '## B\n' })
  expect(await read(join(base, 'plans/a.md'))).toEqual({ text: '## A\n' })
  expect(await read('inside.md')).toEqual({ text: '## A\n' })
})

test.each([
  '../secret.md',
  'deep/../../secret.md',
  'link.md',
  'up/secret.md',
  '/etc/passwd',
  '../plans-too/c.md',
  '.',
  '..',
  '',
  'no.md',
  'a\0.md',
])('%j cannot leave the folder, and says no more than a file that is not there', async (path) => {
  expect(await read(path)).toEqual({ error: `there is no ${path} in the folder that plans are read from` })
})

test('a folder is no file', async () => {
  expect(await read('deep')).toEqual({ error: 'deep is no file' })
})
