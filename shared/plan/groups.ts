import type { GroupId } from '../schema/ids.ts'
import type { Group } from '../schema/plan.ts'
import type { GroupRecord, StepRecord } from './fold.ts'
import { lives } from './fold.ts'

/** The groups of a plan, and what had to be decided to tell them. */
export interface GroupReading {
  /** In the order of their first appearance. */
  readonly groups: readonly Group[]
  /** Groups whose title an earlier group has too, each with that one. */
  readonly sameGroup: ReadonlyMap<GroupId, GroupId>
  /** Removed groups that a living step names. */
  readonly revived: readonly GroupId[]
  /** How each name of a group that shows reads. */
  readonly names: ReadonlyMap<GroupId, GroupId>
}

export const NO_GROUPS: GroupReading = { groups: [], sameGroup: new Map(), revived: [], names: new Map() }

/** Groups with equal titles read as one, and a removed group shows while a living step names it. */
export function readGroups(records: readonly GroupRecord[], living: readonly StepRecord[]): GroupReading {
  const named = namedAmong(removedOf(records), living)
  const groups: Group[] = []
  const byTitle = new Map<string, GroupId>()
  const sameGroup = new Map<GroupId, GroupId>()
  const revived: GroupId[] = []
  const names = new Map<GroupId, GroupId>()
  for (const { id, fields } of records) {
    if (fields.title === undefined || (fields.removed === true && !named.has(id))) continue
    if (fields.removed === true) revived.push(id)
    const first = byTitle.get(fields.title)
    names.set(id, first ?? id)
    if (first === undefined) {
      byTitle.set(fields.title, id)
      groups.push({ id, title: fields.title, testsVerified: fields.testsVerified ?? false })
    } else sameGroup.set(id, first)
  }
  return { groups, sameGroup, revived, names }
}

/** Whether a reading still holds for the same groups and other steps. */
export function stillReads(
  { revived }: GroupReading,
  records: readonly GroupRecord[],
  living: readonly StepRecord[],
): boolean {
  const removed = removedOf(records)
  const named = namedAmong(removed, living)
  return named.size === revived.length && revived.every((id) => named.has(id))
}

/**
 * The group that a living step names, '' for none: its own, or, where it says nothing of one and has climbed from below
 * removed steps, the one that the nearest of those was in.
 */
export function groupNamedBy({ fields, parent }: StepRecord): GroupId | '' | undefined {
  if (fields.group !== undefined || parent === null || lives(parent)) return fields.group
  // Removed steps may stand in a ring.
  const passed = new Set<StepRecord>()
  for (let at: StepRecord | null = parent; at !== null && !lives(at) && !passed.has(at); at = at.parent) {
    if (at.fields.group) return at.fields.group
    passed.add(at)
  }
  return undefined
}

const removedOf = (records: readonly GroupRecord[]): Set<GroupId> =>
  new Set(records.filter(({ fields }) => fields.removed === true && fields.title !== undefined).map(({ id }) => id))

function namedAmong(groups: ReadonlySet<GroupId>, living: readonly StepRecord[]): Set<GroupId> {
  const named = new Set<GroupId>()
  if (groups.size === 0) return named
  for (const record of living) {
    const group = groupNamedBy(record)
    if (group && groups.has(group)) named.add(group)
  }
  return named
}
