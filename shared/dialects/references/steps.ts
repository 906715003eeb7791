import type { Step } from '../../schema/plan.ts'
import type { CallContext, Dialect, Refusal } from '../dialect.ts'
import { quoted } from '../lines.ts'
import type { Reference, Resolved } from '../references.ts'
import { resolvePlaces } from '../references.ts'
import { resolveTask } from '../tasks/references.ts'
import { ambiguous, closest, shownName } from './candidates.ts'
import { resolveDotted, stepsAt, withNought } from './dotted.ts'
import type { Form } from './form.ts'
import { formOf } from './form.ts'
import { stepOfId } from './ids.ts'

type Names = Pick<Dialect, 'nameStep' | 'nameRemoved'>
/** One that is no place: what it means, or why the whole call is refused. */
type Found = { readonly step: Step } | { readonly removal: string } | Refusal

/**
 * Which steps a caller means, in whatever form it names them: by place, dotted number, `task-3`, internal id or the
 * beginning of one. Places that there are not are skipped, as published; any other name that fits no step, or several,
 * refuses the call and lists what could be meant.
 */
export function resolveSteps(
  given: readonly (number | string)[],
  rev: number | undefined,
  context: CallContext,
  names: Names,
): Resolved | Refusal {
  const forms = given.map(formOf)
  const places = forms.flatMap((form) => (form.kind === 'place' ? [form.place] : []))
  const resolved = resolvePlaces(places, rev, context, names)
  if ('refused' in resolved) return resolved
  const byPlace = resolved.references.values()
  const references: Reference[] = []
  const notes: string[] = []
  for (const [i, form] of forms.entries()) {
    if (form.kind === 'place') {
      const reference = byPlace.next().value
      if (reference !== undefined) references.push(reference)
      continue
    }
    const label = shownName(given[i] ?? '')
    const found = find(form, label, given[i] ?? '', rev, context, names)
    if ('refused' in found) return { ...found, refused: ending(found.refused, resolved.valid) }
    const isExplicit = form.kind !== 'dotted' || rev !== undefined
    if ('removal' in found) {
      notes.push(found.removal)
      references.push({ label, step: null, removal: found.removal, isExplicit })
    } else {
      const place = context.plan.placeOf(found.step.id)
      references.push({ label: `#${place ?? '?'}`, step: found.step, removal: null, isExplicit })
    }
  }
  return { references, notes: [...resolved.notes, ...new Set(notes)], valid: resolved.valid }
}

/** Where a refusal speaks of candidates, it says which numbers there are as well. */
const ending = (refused: string, valid: string): string =>
  refused.endsWith(LISTED) ? `${refused} By number ${valid}.` : refused

const LISTED = 'Nothing was changed.'

function find(
  form: Exclude<Form, { readonly kind: 'place' }>,
  label: string,
  given: number | string,
  rev: number | undefined,
  context: CallContext,
  names: Names,
): Found {
  switch (form.kind) {
    case 'number': {
      const reference = resolveTask(form.name, rev, context, 'change')
      if ('refused' in reference) return reference
      if (reference.step !== null) return { step: reference.step }
      return reference.gone === null
        ? unknown(label, context, names)
        : { removal: reference.note ?? `${label} was removed` }
    }
    case 'dotted': {
      const reference = resolveDotted(form, label, rev, context, names)
      if ('refused' in reference) return reference
      // What came as a number may have lost a nought: 1.1 may have been 1.10.
      const others = typeof given === 'number' ? stepsAt(context.plan, withNought(form)) : []
      const steps = [...reference.steps, ...others]
      if (steps.length > 1) return several(label, steps, context, names)
      if (steps[0] !== undefined && others.length === 0) return { step: steps[0] }
      const { gone } = reference
      return gone === null ? unknown(label, context, names) : { removal: `${label} ${quoted(gone.text)} was removed` }
    }
    case 'id': {
      const { step, gone, several: meant } = stepOfId(form.id, context)
      if (step !== null) return { step }
      if (meant.length > 0) return several(label, meant, context, names)
      if (gone === null) return unknown(label, context, names)
      return { removal: `${label} ${quoted(gone.step.text)} was removed${gone.by === null ? '' : ` by ${gone.by}`}` }
    }
  }
}

function unknown(label: string, { plan }: CallContext, names: Names): Refusal {
  const there = closest(label.replaceAll('"', ''), plan, ({ id }) => names.nameStep(plan, id))
  return { refused: `${label} names no step. ${there === '' ? '' : `${there} `}${LISTED}` }
}

const several = (label: string, steps: readonly Step[], { plan }: CallContext, names: Names): Refusal => ({
  refused: `${ambiguous(label, steps, ({ id }) => names.nameStep(plan, id))} ${LISTED}`,
})
