import type { Plan, PlanOperation, Step, StepId } from '../../sdk/index.ts'
import { newStepId } from '../../sdk/index.ts'
import type { LeftOut } from '../../../shared/plan/markdown-file.ts'
import { importMarkdown } from '../../../shared/plan/markdown-import.ts'
import { readPlanMarkdown } from '../../../shared/plan/markdown-read.ts'
import type { Announcer } from './announcer.ts'
import { before, joinTexts, mergeSteps, whyNotMerged } from './merge-steps.ts'
import { asMarkdown, isOutline } from './paste.ts'
import { type DraftPlace, mendPlace } from './rows.ts'
import type { Texts } from './texts.ts'
import type { Caret, View } from './view.ts'

/** What typing needs of the session that it belongs to. */
export interface EditorHost {
  readonly thread: string
  readonly plan: Plan
  readonly view: View
  readonly announcer: Announcer
  readonly mayWrite: boolean
  readonly texts: Texts
  write(...operations: readonly PlanOperation[]): boolean
  tell(text: string, action?: { label: string; run: () => void }): void
}

/** Text that is being typed. It is in the plan when it is done; until then the browser keeps it over a reload. */
export class Editor {
  readonly #session: EditorHost
  #text = ''
  /** How many drafts there were. */
  #turn = 0

  constructor(session: EditorHost) {
    this.#session = session
    const left = session.texts.drafts.all().find(([key]) => key === 'new')?.[1].text ?? ''
    if (left !== '')
      session.view.patch({ orphan: { text: left, why: 'You had typed this, and it was not added yet.' } })
  }

  /** What was typed so far. */
  get text(): string {
    return this.#text
  }

  type(text: string): void {
    this.#text = text
    this.#remember(text)
  }

  editStep(id: StepId, caret: Caret = 'end'): void {
    const step = this.#session.plan.step(id)
    if (step === undefined || !this.#maySay()) return
    this.commit()
    this.#text = step.text
    this.#session.view.patch({ focused: id, editing: { kind: 'step', id, base: step.text, caret, turn: ++this.#turn } })
  }

  draft(place: DraftPlace, text = ''): void {
    if (!this.#maySay()) return
    this.commit()
    this.#text = text
    if (place.parent !== null) this.#session.view.collapse(place.parent, false)
    this.#session.view.patch({ editing: { kind: 'draft', place, turn: ++this.#turn } })
  }

  /** A new sibling behind a step. */
  draftBehind(id: StepId): void {
    const step = this.#session.plan.step(id)
    if (step !== undefined) this.draft({ parent: step.parent, after: id })
  }

  /** Takes what was typed into the plan, and ends the typing. @returns the step it is in */
  commit(): StepId | null {
    const { view, plan } = this.#session
    const { editing } = view.get()
    if (editing === null) return null
    const text = this.#text.trim()
    this.#end()
    if (editing.kind === 'draft') return text === '' ? null : this.#add(text, editing.place)
    const { id, base } = editing
    if (plan.step(id) === undefined || text === '' || text === base.trim()) return id
    this.#session.texts.keep(`text:${id}`, text, base)
    return id
  }

  /** Ends the typing and puts the focus back on the row. */
  leave(): void {
    const { editing, focused } = this.#session.view.get()
    const id = this.commit() ?? (editing?.kind === 'draft' ? (editing.place.after ?? editing.place.parent) : null)
    this.#session.view.focus(id ?? focused)
  }

  /** Ends the typing, and leaves a step's text as it was. */
  cancel(): void {
    const { view, texts } = this.#session
    const { editing } = view.get()
    if (editing?.kind !== 'step') return this.leave()
    const { id, base } = editing
    const text = this.#text.trim()
    this.#end()
    view.focus(id)
    if (text === '' || text === base.trim()) return
    this.#session.tell('The text is as it was.', {
      label: 'Keep what I typed',
      run: () => void texts.keep(`text:${id}`, text, base),
    })
  }

  /**
   * Enter: splits at the caret. At the end it leads to the next step, which is the first below an open parent; at the
   * start to one above. Out of an empty draft it leads one level up, and at last away.
   */
  enter(start = this.#text.length, end = start): void {
    const { editing } = this.#session.view.get()
    if (editing?.kind === 'draft' && this.#text.trim() === '') {
      if (editing.place.parent === null) return this.leave()
      return this.outdentDraft()
    }
    const [head, tail] = [this.#text.slice(0, start).trim(), this.#text.slice(end).trim()]
    if (head !== '' && tail !== '') return this.#split(head, tail)
    this.#text = head + tail
    const id = this.commit()
    const step = this.#session.plan.step(id ?? ('' as StepId))
    if (step === undefined) return
    if (tail !== '') this.draft({ parent: step.parent, after: before(this.#session.plan, step) })
    else this.draft(this.#next(step))
  }

  #split(head: string, tail: string): void {
    const { plan, view, texts } = this.#session
    const { editing } = view.get()
    if (editing === null) return
    const whole = this.#text.trim()
    const id = newStepId()
    this.#end()
    if (editing.kind === 'draft') {
      const { parent, after } = mendPlace(plan, editing.place)
      const steps = [
        { id: newStepId(), text: head, depth: 0 },
        { id, text: tail, depth: 0 },
      ]
      if (!this.#session.write({ type: 'addSteps', steps, parent, after }))
        return this.#offer(whole, 'This could not be added.')
      for (const step of steps) view.noteMade(step.id)
    } else {
      const step = plan.step(editing.id)
      const key = `text:${editing.id}` as const
      const add = step === undefined ? [] : [{ type: 'addSteps' as const, steps: [{ id, text: tail, depth: 0 }], ...this.#next(step) }] // prettier-ignore
      // Where somebody wrote meanwhile nothing is split.
      if (!texts.keepWith(key, head, editing.base, add)) {
        texts.keep(key, whole, editing.base)
        return view.focus(editing.id)
      }
      view.noteMade(id)
    }
    this.editStep(id, 'start')
  }

  /** Makes one step of the one that is typed in and another one. @param isAbove whether that one stands above it */
  merge(other: StepId, isAbove: boolean): void {
    const { plan, view, texts } = this.#session
    const { editing } = view.get()
    const step = plan.step(other)
    if (editing === null || step === undefined) return
    const typed = this.#text
    if (editing.kind === 'draft') {
      this.#end()
      if (!texts.keepWith(`text:${other}`, joinTexts(step.text, typed), step.text, []))
        return this.#offer(typed, 'This could not be added.')
      return this.editStep(other, step.text.trimEnd().length)
    }
    const own = plan.step(editing.id)
    if (own === undefined) return
    const [keep, gone] = isAbove ? [step, own] : [own, step]
    const why =
      own.text === editing.base ? whyNotMerged(gone) : 'Somebody else changed it meanwhile. Nothing was merged.'
    if (why !== null) return this.#session.tell(why)
    const [first, second] = isAbove ? [step.text, typed] : [typed, step.text]
    this.#end()
    if (!texts.keepWith(`text:${keep.id}`, joinTexts(first, second), keep.text, mergeSteps(plan, keep, gone)))
      return void texts.keep(`text:${own.id}`, typed, own.text)
    this.editStep(keep.id, first.trimEnd().length)
  }

  /** What Enter leads to from the end of a step. */
  #next({ id, parent }: Pick<Step, 'id' | 'parent'>): DraftPlace {
    const isOpen = this.#session.plan.children(id).length > 0 && !this.#session.view.get().collapsed.has(id)
    return isOpen ? { parent: id, after: null } : { parent, after: id }
  }

  indentDraft(): void {
    const place = this.#draftPlace()
    if (place?.after === null || place?.after === undefined) return
    const last = this.#session.plan.children(place.after).at(-1) ?? null
    this.#session.view.collapse(place.after, false)
    this.#session.view.patch({
      editing: { kind: 'draft', turn: this.#turn, place: { parent: place.after, after: last } },
    })
  }

  outdentDraft(): void {
    const place = this.#draftPlace()
    const parent = this.#session.plan.step(place?.parent ?? ('' as StepId))
    if (parent === undefined) return
    const outer = { parent: parent.parent, after: parent.id }
    this.#session.view.patch({ editing: { kind: 'draft', turn: this.#turn, place: outer } })
  }

  /** @returns whether it was more than a line, and became steps */
  paste(text: string): boolean {
    if (!isOutline(text)) return false
    const { editing } = this.#session.view.get()
    const place = editing?.kind === 'draft' ? editing.place : null
    const behind = this.#text.trim() === '' && place !== null ? (this.#end(), null) : this.commit()
    this.pasteSteps(text, behind === null ? place : this.#behind(behind))
    return true
  }

  /**
   * Adds steps from text.
   * @param place where; null: at the end of the plan
   * @returns whether all that was read is now in the plan
   */
  pasteSteps(text: string, place: DraftPlace | null): boolean {
    const read = readPlanMarkdown(asMarkdown(text))
    const { parent, after } = mendPlace(this.#session.plan, place ?? this.#atEnd())
    let last = after
    let first: StepId | undefined
    for (const batch of importMarkdown(read, this.#session.plan, false).batches) {
      const placed = batch.map((operation): PlanOperation => {
        if (operation.type !== 'addSteps') return operation
        first ??= operation.steps[0]?.id
        if (operation.parent !== null) return operation
        const behind = last
        last = operation.steps.findLast(({ depth }) => depth === 0)?.id ?? last
        return { ...operation, parent, after: behind }
      })
      if (!this.#session.write(...placed)) return false
    }
    const count = read.steps.length
    const left = read.leftOut.length === 0 ? '' : ` Left out: ${leftOutWords(read.leftOut)}.`
    if (first !== undefined) this.#session.view.focus(first)
    const what =
      count === 0 ? 'There is no step in what was pasted.' : `${count} ${count === 1 ? 'step' : 'steps'} pasted.`
    if (left === '' && count > 0) this.#session.announcer.say(what)
    else this.#session.tell(what + left)
    return count > 0
  }

  /** Steps are gone, perhaps the one that is being typed in. */
  removed(was: Plan, gone: ReadonlySet<StepId>): void {
    const { editing } = this.#session.view.get()
    if (editing?.kind !== 'step' || !gone.has(editing.id)) return
    const text = this.#text
    const name = was.step(editing.id)?.text ?? ''
    this.#end()
    if (text.trim() !== '') this.#offer(text, `The step “${name}” was removed while you typed in it.`)
  }

  /** Makes a step of text that has lost its own. */
  adopt(): void {
    const { orphan } = this.#session.view.get()
    if (orphan === null) return
    const id = this.#add(orphan.text.trim(), this.#atEnd())
    if (id === null) return
    this.discard()
    this.#session.view.focus(id)
  }

  discard(): void {
    this.#remember('')
    this.#session.view.patch({ orphan: null })
  }

  close(): void {
    if (this.#session.mayWrite) this.commit()
  }

  #offer(text: string, why: string): void {
    this.#remember(text)
    this.#session.view.patch({ orphan: { text, why } })
    this.#session.announcer.say(`${why} Your text is kept: you can add it as a new step.`)
  }

  #add(text: string, place: DraftPlace): StepId | null {
    const { parent, after } = mendPlace(this.#session.plan, place)
    const id = newStepId()
    if (!this.#session.write({ type: 'addSteps', steps: [{ id, text, depth: 0 }], parent, after })) {
      this.#offer(text, 'This could not be added.')
      return null
    }
    this.#session.view.noteFocus(id)
    this.#session.view.noteMade(id)
    return id
  }

  #draftPlace(): DraftPlace | null {
    const { editing } = this.#session.view.get()
    return editing?.kind === 'draft' ? mendPlace(this.#session.plan, editing.place) : null
  }

  #behind(id: StepId): DraftPlace {
    return { parent: this.#session.plan.step(id)?.parent ?? null, after: id }
  }

  #atEnd(): DraftPlace {
    return { parent: null, after: this.#session.plan.children(null).at(-1) ?? null }
  }

  #maySay(): boolean {
    if (this.#session.mayWrite) return true
    this.#session.tell('You may read this plan, not change it.')
    return false
  }

  #end(): void {
    this.#text = ''
    this.#remember('')
    this.#session.view.patch({ editing: null })
  }

  #remember(text: string): void {
    const { editing } = this.#session.view.get()
    const { drafts } = this.#session.texts
    const key = editing?.kind === 'step' ? (`text:${editing.id}` as const) : 'new'
    if (text === '') drafts.drop(key)
    else drafts.set(key, { text, base: editing?.kind === 'step' ? editing.base : '' })
  }
}

function leftOutWords(left: readonly LeftOut[]): string {
  const told = left.slice(0, 3).map(({ line, text, why }) => `line ${line} “${text.slice(0, 40)}” (${why})`)
  return left.length > 3 ? `${told.join('; ')}; and ${left.length - 3} more` : told.join('; ')
}
