import type { TextName } from '../parameters.ts'

/** What clients call a list of steps. */
export const LIST_NAMES: readonly string[] = [
  'todos',
  'tasks',
  'items',
  'plan',
  'list',
  'steps',
  'todo_list',
  // Clients that write the list as one text.
  'content',
  'markdown',
  'task_progress',
]
/** What clients call the text of a step, the likeliest first. */
export const TEXT_NAMES: readonly string[] = [
  'content',
  'text',
  'title',
  'task',
  'name',
  'description',
  'step',
  'label',
  'subject',
]
const CHILD_NAMES: readonly string[] = ['children', 'subtasks', 'substeps', 'items', 'steps']
const DEPTH_NAMES: readonly string[] = ['depth', 'level', 'indent', 'nesting']
const PARENT_NAMES: readonly string[] = ['parent', 'parent_id']
const DEPENDENCY_NAMES: readonly string[] = ['depends_on', 'dependencies', 'blocked_by', 'deps']
const WORD_NAMES: readonly string[] = ['status', 'state']
const FLAG_NAMES: readonly string[] = ['done', 'completed', 'checked']

/** What a field of a step is about. */
export type FieldKind =
  | 'text'
  | 'details'
  | 'children'
  | 'depth'
  | 'parent'
  | 'dependencies'
  | 'word'
  | 'flag'
  | 'required'
  | 'id'

/** Two spellings of one name: `parentIndex` and `parent_index`. */
export const spelling = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

const KINDS: ReadonlyMap<string, FieldKind> = new Map(
  (
    [
      [CHILD_NAMES, 'children'],
      [DEPTH_NAMES, 'depth'],
      [PARENT_NAMES, 'parent'],
      [DEPENDENCY_NAMES, 'dependencies'],
      [WORD_NAMES, 'word'],
      [FLAG_NAMES, 'flag'],
      [['required'], 'required'],
      [['id'], 'id'],
      [['details'], 'details'],
    ] as const
  ).flatMap(([names, kind]) => names.map((name) => [spelling(name), kind] as const)),
)

/** What a name of a field means in an item, but for its text; undefined for none. */
export const kindOf = (name: string): FieldKind | undefined => KINDS.get(spelling(name))

/** Whether a name may be that of a list of steps. */
export const isListName = (name: string): boolean => LIST_NAMES.some((one) => spelling(one) === spelling(name))

/** Under which of its names an item has its text; its own name first. @returns undefined if under none */
export function textField(item: Readonly<Record<string, unknown>>, own: TextName): string | undefined {
  const byName = new Map(Object.keys(item).map((key) => [spelling(key), key]))
  for (const name of [own, ...TEXT_NAMES]) {
    const key = byName.get(spelling(name))
    if (key !== undefined && item[key] !== undefined && item[key] !== null) return key
  }
  return undefined
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
