import type { Dialect } from '../dialect.ts'
import { quoted } from '../lines.ts'
import { todoId } from './show.ts'

/** Steps are told with their content, since that is what a checklist goes by. */
export const names: Pick<Dialect, 'nameStep' | 'nameRemoved'> = {
  nameStep: (plan, id) => {
    const step = plan.step(id)
    return step === undefined ? 't?' : `${todoId(step, plan.placeOf(id))} ${quoted(step.text)}`
  },
  nameRemoved: ({ before, placeBefore }) =>
    before === null ? 't?' : `${todoId(before, placeBefore)} ${quoted(before.text)}`,
}
