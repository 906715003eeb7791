import type { StepId } from '../schema/ids.ts'
import { MAX_FORMER_CHARACTERS } from '../schema/limits.ts'
import type { Dependency } from '../schema/plan.ts'
import type { StepChange } from './changes.ts'
import type { Plan } from './plan.ts'
import { dependencyName } from './task-names.ts'

export const WORDED = ['text', 'details', 'dependencies'] as const
/** A field that somebody worded, and somebody else may word anew. */
export type Worded = (typeof WORDED)[number]

/** What somebody wrote and what is not in the plan any more. */
export interface FormerText {
  readonly step: StepId
  readonly field: Worded
  /** As it was; dependencies by their names, as `task-1, task-2`. */
  readonly text: string
  /** `replaced`: it stood in the plan before this change. `outrun`: this change brought it, and another's stands. */
  readonly fate: 'replaced' | 'outrun'
}

/** The words that a change took the place of: those of steps that live on. In all at most 64 Ki characters. */
export function replacedTexts(changes: readonly StepChange[], before: Plan): FormerText[] {
  return capped(
    changes.flatMap(({ id, before: was, after }) =>
      was === null || after === null
        ? []
        : WORDED.filter((field) => was[field] !== after[field]).flatMap((field): FormerText[] => {
            const text = field === 'dependencies' ? dependencyNames(was.dependencies, before) : was[field]
            return text === '' ? [] : [{ step: id, field, text, fate: 'replaced' }]
          }),
    ),
  )
}

/** Texts that were written elsewhere, such as offline, by step. */
export type WrittenTexts = ReadonlyMap<StepId, Partial<Record<'text' | 'details', string>>>

/** Those of some texts that were brought and do not stand in the plan, nor stood there before. */
export function outrunTexts(written: WrittenTexts, before: Plan, after: Plan): FormerText[] {
  return capped(
    [...written].flatMap(([id, fields]) =>
      (['text', 'details'] as const).flatMap((field): FormerText[] => {
        const text = fields[field] ?? ''
        const isThere = [before, after].some((plan) => plan.step(id)?.[field] === text)
        return text === '' || isThere ? [] : [{ step: id, field, text, fate: 'outrun' }]
      }),
    ),
  )
}

function capped(texts: readonly FormerText[]): FormerText[] {
  let left = MAX_FORMER_CHARACTERS
  return texts.filter(({ text }) => (left -= text.length) >= 0)
}

/** As they are printed: `task-1, task-2`. */
export const dependencyNames = (dependencies: readonly Dependency[], plan: Plan): string =>
  dependencies.map((dependency) => dependencyName(plan, dependency)).join(', ')
