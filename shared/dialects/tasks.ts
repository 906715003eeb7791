import type { Dialect } from './dialect.ts'
import { block } from './tasks/block.ts'
import { crossOff } from './tasks/cross-off.ts'
import { edit } from './tasks/edit.ts'
import { load } from './tasks/load.ts'
import { names } from './tasks/names.ts'
import { read } from './tasks/read.ts'
import { refuse } from './tasks/reply.ts'
import { write } from './tasks/write.ts'

/** The plan as tasks in groups, with dependencies, advice and verification. */
export const tasks: Dialect = {
  name: 'tasks',
  tools: [read, write, edit, crossOff, load],
  ...names,
  refuse,
  block,
}
