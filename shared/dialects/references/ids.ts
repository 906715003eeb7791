import type { StepId } from '../../schema/ids.ts'
import { isStepId } from '../../schema/ids.ts'
import type { Deed } from '../../plan/history.ts'
import { MIN_ID_PREFIX } from '../../schema/limits.ts'
import type { Step } from '../../schema/plan.ts'
import type { CallContext } from '../dialect.ts'
import { actorName } from '../lines.ts'

/** What an id means: a step, one that is removed by now, several that it could be the beginning of, or nothing. */
export interface Meant {
  readonly step: Step | null
  readonly gone: { readonly step: Step; readonly by: string | null } | null
  readonly several: readonly Step[]
}

const PREFIX = /^[A-Za-z0-9_-]+$/

/**
 * The step of an internal id, of the beginning of one, or of a lasting id that a caller gave. An id means the same at all
 * times, so neither views nor versions matter here.
 * @param prefix the beginning of an id in a name that says so, however short
 */
export function stepOfId(given: string, context: CallContext, prefix: string | null = null): Meant {
  const { plan } = context
  if (prefix === null && isStepId(given)) {
    const step = plan.step(given)
    if (step !== undefined) return { step, gone: null, several: [] }
  }
  const beginning = prefix ?? (given.length >= MIN_ID_PREFIX && PREFIX.test(given) ? given : null)
  const isMeant = (id: StepId): boolean => beginning !== null && id.startsWith(beginning)
  const meant = plan.steps.filter(({ id, alias }) => isMeant(id) || (prefix === null && alias === given))
  if (meant.length > 1) return { step: null, gone: null, several: meant }
  if (meant[0] !== undefined) return { step: meant[0], gone: null, several: [] }
  return { step: null, gone: removalOf(isMeant, context), several: [] }
}

function removalOf(isMeant: (id: StepId) => boolean, { plan, history, view }: CallContext): Meant['gone'] {
  let last: Deed | undefined
  for (const [id, removal] of history.removals) if (isMeant(id) && plan.step(id) === undefined) last = removal
  if (last?.change.before) return { step: last.change.before, by: actorName(last.actor) }
  const step = view?.plan.steps.find(({ id }) => isMeant(id) && plan.step(id) === undefined)
  return step === undefined ? null : { step, by: null }
}
