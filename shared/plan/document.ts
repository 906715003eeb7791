/**
 * The one file that knows the keys of the Y.Doc and the shape of what lies under them.
 *
 * Three arrays and a small map, nothing nested:
 *   outline  ids of steps; gives the order of siblings
 *   steps    patches `{ id, ...some fields }`; a step is the fold of its patches, for each field the rightmost wins
 *   groups   patches `{ id, ...some fields }`; the order of first appearance is the order of groups
 *   meta     title, format
 */
import type * as Y from 'yjs'
import type { GroupId, StepId } from '../schema/ids.ts'
import { isGroupId, isStepId } from '../schema/ids.ts'
import { HARD_MAX_KEYS, HARD_MAX_STRING } from '../schema/limits.ts'
import type { Claim, DependencyTarget, Status } from '../schema/plan.ts'

/** The format of the document that this code writes, kept in `meta`. */
export const FORMAT = 1

/** A field `dep:<key>` holds the rank of a dependency, or null; the key is a step's id, or `=<name>`. */
export type DependencyField = `dep:${string}`

/** The fields of a step as they stand in patches. '' stands for none, so that a field can be taken away. */
export interface FoldedStep {
  text?: string
  details?: string
  status?: Status
  parent?: StepId | ''
  group?: GroupId | ''
  required?: boolean
  alias?: string
  startedBy?: string
  createdBy?: string
  /** Clients that know only Yjs may leave it out. A step exists if one of its patches has this or a text, and none removes it. */
  createdAt?: number
  updatedBy?: string
  updatedAt?: number
  removed?: boolean
  number?: number
  claim?: Claim | null
  [dependency: DependencyField]: number | null
}
export type StepPatch = { readonly id: StepId } & Readonly<FoldedStep>

export interface FoldedGroup {
  title?: string
  testsVerified?: boolean
  /** A removed group shows again while a living step names it. */
  removed?: boolean
}
export type GroupPatch = { readonly id: GroupId } & Readonly<FoldedGroup>

type Check = (value: unknown) => boolean
const text: Check = (value) => typeof value === 'string' && value.length <= HARD_MAX_STRING
const bool: Check = (value) => typeof value === 'boolean'
/** Milliseconds since 1970 that are a date: others cannot even be printed. */
const time: Check = (value) => typeof value === 'number' && value >= 0 && value <= 8.64e15
const STATUS: ReadonlySet<unknown> = new Set<Status>(['pending', 'in_progress', 'completed', 'cancelled', 'blocked'])

const STEP_FIELDS: ReadonlyMap<string, Check> = new Map<keyof FoldedStep, Check>([
  ['text', text],
  ['details', text],
  ['status', (value) => STATUS.has(value)],
  ['parent', (value) => value === '' || isStepId(value)],
  ['group', (value) => value === '' || isGroupId(value)],
  ['required', bool],
  ['alias', text],
  ['startedBy', text],
  ['createdBy', text],
  ['createdAt', time],
  ['updatedBy', text],
  ['updatedAt', time],
  ['removed', bool],
  ['number', (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) < 2 ** 31],
  ['claim', isClaim],
])
const GROUP_FIELDS: ReadonlyMap<string, Check> = new Map<keyof FoldedGroup, Check>([
  ['title', text],
  ['testsVerified', bool],
  ['removed', bool],
])
const META_FIELDS: ReadonlyMap<string, Check> = new Map([
  ['title', text],
  ['format', time],
])
const rank: Check = (value) => value === null || (typeof value === 'number' && Number.isFinite(value))

function isClaim(value: unknown): boolean {
  if (value === null) return true
  if (!isPlainObject(value) || Object.keys(value).length !== 3) return false
  return text(value['holder']) && text(value['token']) && time(value['until'])
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

export const isDependencyField = (key: string): key is DependencyField =>
  key.startsWith('dep:') && (isStepId(key.slice(4)) || (key[4] === '=' && key.length > 5 && key.length <= 1_000))

export const dependencyField = (target: DependencyTarget): DependencyField =>
  'step' in target ? `dep:${target.step}` : `dep:=${target.name}`

const stepCheck = (key: string): Check | undefined =>
  STEP_FIELDS.get(key) ?? (isDependencyField(key) ? rank : undefined)

/** Whether a value may stand in `steps`: own keys of the known fields only, each of its type. */
export function isStepPatch(value: unknown): value is StepPatch {
  return isPatch(value, isStepId, stepCheck)
}
/** Whether a value may stand in `groups`. */
export function isGroupPatch(value: unknown): value is GroupPatch {
  return isPatch(value, isGroupId, (key) => GROUP_FIELDS.get(key))
}
/** Whether a value may stand under a key of `meta`. */
export function isMetaValue(key: string, value: unknown): boolean {
  return META_FIELDS.get(key)?.(value) ?? false
}

function isPatch(value: unknown, isId: Check, checkOf: (key: string) => Check | undefined): boolean {
  if (!isPlainObject(value) || !Object.hasOwn(value, 'id') || !isId(value['id'])) return false
  const keys = Object.keys(value)
  return keys.length <= HARD_MAX_KEYS && keys.every((key) => key === 'id' || checkOf(key)?.(value[key]) === true)
}

/** The keys of a patch that count: reading and writing both pass over what is malformed. */
export function fieldsOf(patch: StepPatch): (keyof FoldedStep)[] {
  return Object.keys(patch).filter((key): key is keyof FoldedStep => stepCheck(key)?.(Reflect.get(patch, key)) === true)
}
/** The same for a group. */
export function groupFieldsOf(patch: GroupPatch): (keyof FoldedGroup)[] {
  return Object.keys(patch).filter(
    (key): key is keyof FoldedGroup => GROUP_FIELDS.get(key)?.(Reflect.get(patch, key)) === true,
  )
}
/** The step that a value in `steps` speaks of, or null if it is no patch at all. */
export const patchedStep = (value: unknown): StepId | null =>
  isPlainObject(value) && isStepId(value['id']) ? value['id'] : null
/** The group that a value in `groups` speaks of, or null. */
export const patchedGroup = (value: unknown): GroupId | null =>
  isPlainObject(value) && isGroupId(value['id']) ? value['id'] : null
/** The patches of some steps or groups with their positions. The id is looked at first: plans have many patches. */
export function patchesOf<P extends { readonly id: I }, I>(
  array: Y.Array<P>,
  subjects: { has(id: I): boolean },
): { patch: P; position: number }[] {
  const found: { patch: P; position: number }[] = []
  array.forEach((value: P | null | undefined, position) => {
    if (value?.id !== undefined && subjects.has(value.id) && isPlainObject(value))
      found.push({ patch: value, position })
  })
  return found
}

export interface Roots {
  /** Ids; other values are passed over. */
  readonly outline: Y.Array<StepId>
  readonly steps: Y.Array<StepPatch>
  readonly groups: Y.Array<GroupPatch>
  readonly meta: Y.Map<string | number>
}

/**
 * The roots of a plan's document.
 * @throws Error if the document holds another kind of type under one of their names
 */
export function rootsOf(doc: Y.Doc): Roots {
  return {
    outline: doc.getArray<StepId>('outline'),
    steps: doc.getArray<StepPatch>('steps'),
    groups: doc.getArray<GroupPatch>('groups'),
    meta: doc.getMap<string | number>('meta'),
  }
}

/** What the structs under each root must hold; anything else under any other name is no plan. */
export const ROOT_KINDS: ReadonlyMap<string, 'ids' | 'stepPatches' | 'groupPatches' | 'values'> = new Map([
  ['outline', 'ids'],
  ['steps', 'stepPatches'],
  ['groups', 'groupPatches'],
  ['meta', 'values'],
] as const)
