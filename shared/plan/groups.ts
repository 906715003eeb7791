import type { GroupId } from '../schema/ids.ts'
import type { Group } from '../schema/plan.ts'
import type { GroupRecord, StepRecord } from './fold.ts'

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

const removedOf = (records: readonly GroupRecord[]): Set<GroupId> =>
  new Set(records.filter(({ fields }) => fields.removed === true && fields.title !== undefined).map(({ id }) => id))

function namedAmong(groups: ReadonlySet<GroupId>, living: readonly StepRecord[]): Set<GroupId> {
  const named = new Set<GroupId>()
  if (groups.size === 0) return named
  for (const { fields } of living) if (fields.group && groups.has(fields.group)) named.add(fields.group)
  return named
}
