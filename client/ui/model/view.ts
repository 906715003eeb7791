import type { StepId } from '../../sdk/index.ts'
import { recall, remember } from './identity.ts'
import { readFilterParam } from './path.ts'
import type { DraftPlace } from './rows.ts'
import { Store } from './store.ts'

/** Where the typing begins: at an end of the text, or behind so many characters. */
export type Caret = 'start' | 'end' | number

export type Editing =
  /** `turn` tells one typing from the next. `base`: the text when the typing began. */
  | { readonly kind: 'step'; readonly id: StepId; readonly base: string; readonly caret: Caret; readonly turn: number }
  | { readonly kind: 'draft'; readonly place: DraftPlace; readonly turn: number }

/** What is open in front of the plan. */
export type Dialog =
  | { readonly kind: 'commands' | 'keys' | 'settings' | 'filter' | 'connect' }
  | { readonly kind: 'actions' | 'move' | 'group' | 'status' | 'dependencies' | 'owner'; readonly id: StepId }

/** Text that was typed into a step which somebody removed meanwhile, or that was never kept. */
export interface Orphan {
  readonly text: string
  readonly why: string
}

export type Layout = 'tree' | 'board' | 'both'

export interface ViewState {
  readonly collapsed: ReadonlySet<StepId>
  readonly focused: StepId | null
  /** Grows whenever the focus is to be put on the focused row. */
  readonly focusTurn: number
  /** Grows whenever the focused row is to be seen, and the focus stays where it is. */
  readonly showTurn: number
  /** Grows whenever the focus is to go into the panel. */
  readonly panelTurn: number
  /** The step that one has zoomed into. */
  readonly zoom: StepId | null
  /** What the next paste moves. */
  readonly cut: readonly StepId[]
  /** What is chosen beside the focused step; empty: that one alone. */
  readonly chosen: ReadonlySet<StepId>
  /** Where choosing began. */
  readonly anchor: StepId | null
  readonly editing: Editing | null
  readonly filter: string
  /** Steps that were made here since the filter was set: they stay in sight, whatever it says. */
  readonly made: ReadonlySet<StepId>
  /** What is looked for while all else stays in sight; null: nothing. */
  readonly find: string | null
  /** Grows whenever the field for it is to have the focus. */
  readonly findTurn: number
  readonly layout: Layout
  /** Where the focus was last: what one goes to gets it there. */
  readonly pane: 'tree' | 'board'
  readonly side: 'activity' | 'step' | null
  readonly dialog: Dialog | null
  readonly orphan: Orphan | null
}

const NONE: ReadonlySet<StepId> = new Set()

const LAYOUT = 'planroom.layout'
const SIDE = 'planroom.side'
const collapsedKey = (thread: string): string => `planroom.collapsed.${thread}`

/** How one person looks at a plan: nobody else sees any of it, and the browser remembers what lasts. */
export class View extends Store<ViewState> {
  constructor(thread: string, isNarrow: boolean) {
    super({
      collapsed: new Set(readList(recall(collapsedKey(thread)))),
      focused: null,
      focusTurn: 0,
      showTurn: 0,
      panelTurn: 0,
      zoom: null,
      cut: [],
      chosen: NONE,
      anchor: null,
      editing: null,
      filter: readFilterParam(),
      made: NONE,
      find: null,
      findTurn: 0,
      layout: readLayout(recall(LAYOUT)),
      pane: 'tree',
      side: isNarrow || recall(SIDE) === 'closed' ? null : 'activity',
      dialog: null,
      orphan: null,
    })
    let before = this.get()
    this.subscribe(() => {
      const now = this.get()
      if (now.collapsed !== before.collapsed) remember(collapsedKey(thread), JSON.stringify([...now.collapsed]))
      if (now.layout !== before.layout) remember(LAYOUT, now.layout)
      if (now.side !== before.side && !isNarrow) remember(SIDE, now.side === null ? 'closed' : 'open')
      before = now
    })
  }

  focus(id: StepId | null): void {
    this.patch({ focused: id, focusTurn: this.get().focusTurn + 1 })
  }

  /** Brings a step into sight; the focus stays where it is. */
  show(id: StepId): void {
    this.patch({ focused: id, showTurn: this.get().showTurn + 1 })
  }

  /** The row has the focus already: only take note. */
  noteFocus(id: StepId): void {
    this.patch({ focused: id })
  }

  /** Shows a step beside the plan, with the focus in there. */
  openPanel(id: StepId): void {
    this.patch({ focused: id, side: 'step', panelTurn: this.get().panelTurn + 1 })
  }

  /** Chooses what stands between where choosing began and a row. */
  chooseTo(id: StepId, rows: readonly StepId[]): void {
    const anchor = this.get().anchor ?? this.get().focused ?? id
    const [from, to] = [rows.indexOf(anchor), rows.indexOf(id)].toSorted((a, b) => a - b)
    this.patch({ anchor, chosen: new Set(rows.slice(Math.max(0, from ?? 0), (to ?? 0) + 1)) })
    this.focus(id)
  }

  /** Chooses a step more, or one less. */
  toggleChosen(id: StepId): void {
    const { chosen, focused } = this.get()
    const next = new Set(chosen.size === 0 && focused !== null ? [focused] : chosen)
    if (!next.delete(id)) next.add(id)
    this.patch({ chosen: next, anchor: id })
    this.focus(id)
  }

  chooseAll(rows: readonly StepId[]): void {
    this.patch({ chosen: new Set(rows), anchor: rows[0] ?? null })
  }

  /** Lets go of all but the focused step. */
  chooseNone(): void {
    this.patch({ chosen: NONE, anchor: null })
  }

  setFilter(filter: string): void {
    this.patch({ filter, made: NONE })
  }

  noteMade(id: StepId): void {
    if (this.get().filter !== '') this.patch({ made: new Set(this.get().made).add(id) })
  }

  openFind(): void {
    this.patch({ find: this.get().find ?? '', findTurn: this.get().findTurn + 1 })
  }

  /** Opens what a step is folded away in. */
  unfold(ids: Iterable<StepId>): void {
    const collapsed = new Set(this.get().collapsed)
    for (const id of ids) collapsed.delete(id)
    if (collapsed.size < this.get().collapsed.size) this.patch({ collapsed })
  }

  collapse(id: StepId, isCollapsed: boolean): void {
    const collapsed = new Set(this.get().collapsed)
    if (isCollapsed) collapsed.add(id)
    else collapsed.delete(id)
    this.patch({ collapsed })
  }

  open(dialog: Dialog): void {
    this.patch({ dialog })
  }
}

function readList(text: string | null): StepId[] {
  try {
    const list = JSON.parse(text ?? '[]') as unknown
    return Array.isArray(list) ? (list as StepId[]) : []
  } catch {
    return []
  }
}

const readLayout = (text: string | null): Layout => (text === 'board' || text === 'both' ? text : 'tree')
