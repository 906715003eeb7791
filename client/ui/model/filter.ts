import type { GroupId, Plan, Status, Step } from '../../sdk/index.ts'
import { fold } from './fold.ts'
import { ownerNameOf } from './owner.ts'
import { isFinished } from './statuses.ts'
import { isReady, isWaiting } from './waits.ts'

/** What a filter lets through; null for all. */
export type Filter = ((step: Step) => boolean) | null

/** A part of a filter: it is shown as a chip, and can be taken away alone. */
export interface Token {
  /** As it stands in the filter. */
  readonly raw: string
  readonly kind: 'word' | 'is' | 'group' | 'owner' | 'number'
  readonly value: string
  /** It was written in quotes: the whole is meant, not a part. */
  readonly isWhole: boolean
  /** What it fits is left out. */
  readonly isNot: boolean
}

export interface Filtering {
  readonly tokens: readonly Token[]
  readonly fits: Filter
  /** What could not be looked for, in words. */
  readonly problems: readonly string[]
}

const STATUS_WORDS: Readonly<Record<string, Status>> = {
  todo: 'pending',
  active: 'in_progress',
  blocked: 'blocked',
  done: 'completed',
  cancelled: 'cancelled',
}
const OTHER_WORDS: Readonly<Record<string, (plan: Plan, step: Step) => boolean>> = {
  open: (_plan, { status }) => !isFinished(status),
  ready: isReady,
  waiting: isWaiting,
}
/** What may stand behind `is:`. */
const IS_WORDS = [...Object.keys(STATUS_WORDS), ...Object.keys(OTHER_WORDS)]

export const isToken = (word: string): string => `is:${word}`
export const statusToken = (status: Status): string =>
  isToken(Object.entries(STATUS_WORDS).find(([, one]) => one === status)?.[0] ?? '')
export const groupToken = (title: string): string => `group:${quote(title)}`
export const ownerToken = (name: string): string => `@${quote(name)}`

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The parts of a filter, in order. */
export function readTokens(text: string): Token[] {
  // A blank in quotes separates nothing; quotes that are still open end with the text.
  return Array.from(text.matchAll(/(?:"(?:\\.|[^"\\])*(?:"|\\?$)|[^\s"])+/g), ([raw]) => readToken(raw))
}

function readToken(raw: string): Token {
  const isNot = /^-[^\s-]/.test(raw)
  const rest = isNot ? raw.slice(1) : raw
  const [, prefix = '', tail = ''] = /^(is:|group:|@|#(?=\d+$))?(.*)$/is.exec(rest) ?? []
  const kinds = { 'is:': 'is', 'group:': 'group', '@': 'owner', '#': 'number' } as const
  const kind = tail === '' ? 'word' : (kinds[prefix.toLowerCase() as keyof typeof kinds] ?? 'word')
  const written = kind === 'word' ? rest : tail
  const isWhole = written.startsWith('"')
  const value = isWhole ? written.slice(1).replace(/"$/, '').replace(/\\(.)/g, '$1') : written
  return { raw, kind, value, isWhole, isNot }
}

const isSame = (a: Token, b: Token): boolean =>
  a.kind === b.kind && a.isNot === b.isNot && a.isWhole === b.isWhole && fold(a.value) === fold(b.value)

export function hasToken(text: string, raw: string): boolean {
  const wanted = readToken(raw)
  return readTokens(text).some((token) => isSame(token, wanted))
}

/** The filter with a part more, or without it if it has it. */
export function toggleToken(text: string, raw: string): string {
  const wanted = readToken(raw)
  const tokens = readTokens(text)
  const others = tokens.filter((token) => !isSame(token, wanted))
  const words = others.map((token) => token.raw)
  return (others.length < tokens.length ? words : [...words, raw]).join(' ')
}

/**
 * Reads a filter. All words must be found, and all that stands behind `is:` must hold; of several groups, owners,
 * numbers or statuses one is enough, since a step has but one of each.
 */
export function readFilter(text: string, plan: Plan, names: ReadonlyMap<string, string> = new Map()): Filtering {
  const tokens = readTokens(text)
  const problems: string[] = []
  const all: ((step: Step) => boolean)[] = []
  const either = new Map<string, ((step: Step) => boolean)[]>()
  for (const token of tokens) {
    const { kind, value, isNot } = token
    const isOf = kind === 'is' ? isStatus(value) : kind !== 'word'
    if (kind === 'is' && !IS_WORDS.includes(fold(value))) {
      problems.push(`“${token.raw}” is not known. There are: ${IS_WORDS.map(isToken).join(', ')}.`)
      continue
    }
    if (kind === 'group' && value !== '' && groupsCalled(token, plan).size === 0)
      problems.push(`No group is called “${value}”.`)
    const test = testOf(token, plan, names)
    if (isNot) all.push((step) => !test(step))
    else if (!isOf) all.push(test)
    else either.set(kind, [...(either.get(kind) ?? []), test])
  }
  for (const tests of either.values()) all.push((step) => tests.some((test) => test(step)))
  return { tokens, problems, fits: all.length === 0 ? null : (step) => all.every((test) => test(step)) }
}

const isStatus = (word: string): boolean => STATUS_WORDS[fold(word)] !== undefined

function testOf(token: Token, plan: Plan, names: ReadonlyMap<string, string>): (step: Step) => boolean {
  const value = fold(token.value)
  switch (token.kind) {
    case 'is': {
      const wanted = STATUS_WORDS[value]
      if (wanted !== undefined) return ({ status }) => status === wanted
      return (step) => OTHER_WORDS[value]?.(plan, step) === true
    }
    case 'group': {
      const groups = groupsCalled(token, plan)
      return (step) => {
        const group = plan.groupOf(step)
        return group === null ? value === '' : groups.has(group)
      }
    }
    case 'owner':
      return (step) => {
        const owner = fold(ownerNameOf(step, names) ?? '')
        return token.isWhole ? owner === value : owner.includes(value)
      }
    case 'number':
      return ({ number }) => number === Number(value)
    case 'word': {
      const titles = new Map(plan.groups.map(({ id, title }) => [id, fold(title)]))
      return (step) => {
        if (searchedText(step).includes(value)) return true
        const group = plan.groupOf(step)
        return group !== null && titles.get(group)?.includes(value) === true
      }
    }
  }
}

/** The one that is called exactly so, else all that are but for case and accents. */
function groupsCalled({ value }: Token, { groups }: Plan): ReadonlySet<GroupId> {
  const exact = groups.filter(({ title }) => title === value)
  const wanted = fold(value)
  const found = exact.length > 0 ? exact : groups.filter(({ title }) => fold(title) === wanted)
  return new Set(found.map(({ id }) => id))
}

/** Steps are never changed, only replaced: so each is folded once. */
const folded = new WeakMap<Step, string>()

/** All words of a step, folded. */
export function searchedText(step: Step): string {
  let text = folded.get(step)
  if (text === undefined) folded.set(step, (text = `${fold(step.text)}\n${fold(step.details)}`))
  return text
}
