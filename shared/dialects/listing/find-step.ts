import type { Step } from '../../schema/plan.ts'
import type { CallContext, Refusal } from '../dialect.ts'
import { ambiguous, closest, shownName } from '../references/candidates.ts'
import { stepsAt } from '../references/dotted.ts'
import { formOf } from '../references/form.ts'
import { stepOfId } from '../references/ids.ts'
import { numberIn } from '../tasks/names.ts'

/** The step that is meant now. Only for looking: what is shown says itself which step it is. */
export function findStep(given: string | number, context: CallContext, nameOf: (step: Step) => string): Step | Refusal {
  const { plan } = context
  const label = shownName(given)
  const found = matches(given, context)
  const step = found[0]
  if (step !== undefined && found.length === 1) return step
  if (step !== undefined) return { refused: ambiguous(label, found, nameOf) }
  const there = closest(String(given), plan, nameOf)
  return { refused: `${label} names no step.${there === '' ? '' : ` ${there}`}` }
}

function matches(given: string | number, context: CallContext): readonly Step[] {
  const { plan } = context
  const form = formOf(given)
  switch (form.kind) {
    case 'place': {
      const step = plan.at(form.place)
      return step === undefined ? [] : [step]
    }
    case 'number': {
      const number = numberIn(form.name)
      return plan.steps.filter((step) => step.number === number)
    }
    case 'dotted':
      return stepsAt(plan, form)
    case 'id': {
      const { step, several } = stepOfId(form.id, context)
      return step === null ? several : [step]
    }
  }
}
