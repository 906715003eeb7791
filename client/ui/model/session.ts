import type { Deed, LivePlan, Plan, PlanEvent, PlanOperation, StepId } from '../../sdk/index.ts'
import { connectPlan, indexedDbStore, PlanError } from '../../sdk/index.ts'
import { Announcer } from './announcer.ts'
import { Editor } from './editor.ts'
import { Feed } from './feed.ts'
import { readFilter } from './filter.ts'
import { whatWasDone } from './flashes.ts'
import type { Identity } from './identity.ts'
import { Names } from './names.ts'
import { Notices } from './notices.ts'
import { PacedPlan } from './paced.ts'
import type { Row } from './rows.ts'
import { Texts } from './texts.ts'
import { View } from './view.ts'

const PRESENCE_MS = 250

/** One person at one plan: everything that the page shows and does comes together here. */
export class Session {
  readonly thread: string
  readonly identity: Identity
  readonly live: LivePlan
  readonly seen: PacedPlan
  readonly feed: Feed
  readonly view: View
  readonly announcer = new Announcer()
  readonly notices = new Notices()
  readonly names = new Names()
  readonly texts: Texts
  readonly editor: Editor
  /** As they were rendered last. */
  rows: readonly Row[] = []
  #presenceTimer: ReturnType<typeof setTimeout> | undefined
  #presence = ''
  readonly #cuts = 'BroadcastChannel' in globalThis ? new BroadcastChannel('planroom.cuts') : null

  constructor(thread: string, identity: Identity, isNarrow: boolean) {
    const { id, name, token } = identity
    this.thread = thread
    this.identity = identity
    this.live = connectPlan({
      url: location.origin,
      thread,
      id,
      name: name === '' ? 'Guest' : name,
      ...(token === null ? {} : { token }),
      store: indexedDbStore(`planroom/${thread}/${id}`),
    })
    this.seen = new PacedPlan(this.live, { id, name })
    this.view = new View(thread, isNarrow)
    this.texts = new Texts(this)
    this.editor = new Editor(this)
    this.names.learn([{ id, name: name === '' ? 'Guest' : name }])
    this.feed = new Feed(this.live, thread, token, (entries) => {
      this.names.learn(entries.map(({ actor }) => actor))
      this.seen.correct(new Map(entries.map(({ version, actor }) => [version, actor])))
    })
    this.#cuts?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const [from, step] = Array.isArray(data) ? (data as unknown[]) : []
      const { cut } = this.view.get()
      if (from !== thread || cut.length === 0 || step !== cut.join(' ')) return
      this.view.patch({ cut: [] })
      const steps = cut.filter((one) => this.plan.step(one) !== undefined)
      if (this.write({ type: 'removeSteps', steps, subSteps: true })) this.tellDone('Moved to another plan')
    })
    this.live.subscribe((event) => this.#onEvent(event))
    this.view.subscribe(() => this.#tellPresence())
    this.#tellPresence()
  }

  get plan(): Plan {
    return this.live.plan
  }

  get mayWrite(): boolean {
    const { kind } = this.live.status
    return this.identity.mayWrite && kind !== 'deleted' && kind !== 'refused' && kind !== 'closed'
  }

  /** @returns whether it was done; if not, the person was told why */
  write(...operations: readonly PlanOperation[]): boolean {
    if (!this.mayWrite) {
      this.tell(
        this.identity.mayWrite ? 'This plan can no longer be changed here.' : 'You may read this plan, not change it.',
      )
      return false
    }
    try {
      this.live.apply(operations)
      return true
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      this.tell(error.message)
      return false
    }
  }

  /** For eyes and ears. */
  tell(text: string, action?: { label: string; run: () => void }): void {
    this.notices.show(text, action)
    this.announcer.say(text)
  }

  /** What is done to a step is done to all that are chosen, if it is one of them: in the order of the plan. */
  targets(id: StepId): readonly StepId[] {
    const { chosen } = this.view.get()
    if (!chosen.has(id)) return [id]
    const there = [...chosen].filter((one) => this.plan.step(one) !== undefined)
    return there.toSorted((a, b) => this.plan.places.of(a) - this.plan.places.of(b))
  }

  /** The same, without those that go along with one above them. */
  roots(id: StepId): readonly StepId[] {
    const roots: StepId[] = []
    let end = 0
    for (const one of this.targets(id)) {
      const at = this.plan.places.of(one)
      if (at < end) continue
      roots.push(one)
      end = this.plan.places.end(at)
    }
    return roots
  }

  /** Shows a step alone, with all below it; null: all. The focus stays in sight. */
  zoomTo(id: StepId | null): void {
    const { zoom } = this.view.get()
    this.view.patch({ zoom: id })
    this.view.focus(id ?? zoom)
  }

  /** One level out. */
  zoomOut(): void {
    const { zoom } = this.view.get()
    if (zoom === null) return
    this.view.patch({ zoom: this.plan.step(zoom)?.parent ?? null })
    this.view.focus(zoom)
  }

  /** Goes to a step, whatever it is folded away in or filtered out by. */
  goTo(id: StepId): void {
    const step = this.plan.step(id)
    if (step === undefined) return
    const { fits } = readFilter(this.view.get().filter, this.plan, this.names.get())
    if (fits !== null && !fits(step)) this.view.setFilter('')
    this.unfold(id)
    this.view.focus(id)
  }

  /** Brings a step into sight; the focus stays where it is. */
  show(id: StepId): void {
    this.unfold(id)
    this.view.show(id)
  }

  /** Opens whatever a step is folded away in, or out of sight by a zoom. */
  unfold(id: StepId): void {
    const { zoom } = this.view.get()
    if (zoom !== null && !this.plan.subtree(zoom).some((step) => step.id === id)) this.view.patch({ zoom: null })
    const above: StepId[] = []
    for (let at = this.plan.step(id)?.parent ?? null; at !== null; at = this.plan.step(at)?.parent ?? null)
      above.push(at)
    this.view.unfold(above)
  }

  /** What was cut in another plan was pasted here: it may go there, once it is saved here. */
  takeFrom(thread: string, cut: string): void {
    void this.live.whenSaved().then(
      () => this.#cuts?.postMessage([thread, cut]),
      () => {},
    )
  }

  undo(): void {
    this.#back(this.live.undo(), 'Nothing to undo', 'Undone')
  }

  /** Offers to take back what was just done: that, and nothing that came after. */
  tellDone(text: string): void {
    const deed = this.live.lastDeed
    if (deed === null) return this.tell(text)
    this.tell(text, {
      label: 'Undo',
      run: () => this.#undoDeed(deed),
    })
  }

  #undoDeed(deed: Deed): void {
    const done = this.live.undo(deed)
    if (done === null) this.tell('It was undone already.')
    else this.#back(done, '', 'Undone')
  }

  redo(): void {
    this.#back(this.live.redo(), 'Nothing to redo', 'Done again')
  }

  #back(done: ReturnType<LivePlan['undo']>, nothing: string, word: string): void {
    if (done === null) return this.announcer.say(nothing)
    const first = done.changes.find(({ after }) => after !== null)
    if (first !== undefined) this.goTo(first.id)
    if (done.leftOut.length === 0) return this.announcer.say(word)
    const whys = [...new Set(done.leftOut.map(({ why }) => why.replace(/^[a-zA-Z]+: /, '')))]
    if (done.changes.length === 0) return this.tell(`It can no longer be undone: ${whys.join('; ')}.`)
    this.tell(`${word}, but for a part of it: ${whys.join('; ')}.`)
  }

  async close(): Promise<void> {
    this.editor.close()
    this.#cuts?.close()
    this.announcer.close()
    this.notices.close()
    this.feed.close()
    this.seen.close()
    clearTimeout(this.#presenceTimer)
    await this.live.close()
  }

  #onEvent(event: PlanEvent): void {
    if (event.type === 'setAside') {
      const { lost, why } = event.setAside
      const what = lost.length === 0 ? 'Nothing is lost.' : `Not taken over: ${lost.join(' · ')}`
      this.tell(
        `The server did not take this copy (${why}). It was kept aside, and yours was put on a fresh one. ${what}`,
      )
    }
    if (event.type === 'presence') this.#learnNames()
    if (event.type !== 'change' || event.origin === 'store') return
    if (event.origin === 'remote') this.texts.changed(event)
    const gone = new Set(event.changes.filter(({ after }) => after === null).map(({ id }) => id))
    if (gone.size > 0) {
      this.editor.removed(event.before, gone)
      const { zoom } = this.view.get()
      if (zoom !== null && gone.has(zoom)) this.view.patch({ zoom: null })
      this.#mendFocus(event.before, gone)
    }
    if (event.origin !== 'remote' || this.live.status.kind !== 'online') return
    const writers = this.live.writersOf(new Set(event.changes.map(({ id }) => id)))
    for (const change of event.changes) {
      const done = whatWasDone(change, writers.get(change.id))
      if (done === null && change.after !== null) continue
      if (done?.who !== this.identity.name) this.announcer.others(done?.who || 'Somebody', 1)
    }
  }

  #learnNames(): void {
    this.names.learn(
      this.live
        .getSnapshot()
        .presence.flatMap(({ state: { id, name } }) =>
          typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [],
        ),
    )
  }

  /** Whoever stood on a step that is gone stands on the next one then. */
  #mendFocus(before: Plan, gone: ReadonlySet<StepId>): void {
    const { focused } = this.view.get()
    if (focused === null || !gone.has(focused)) return
    const at = before.places.of(focused)
    const next =
      before.steps.slice(at).find(({ id }) => this.plan.step(id) !== undefined) ??
      before.steps.slice(0, at).findLast(({ id }) => this.plan.step(id) !== undefined)
    this.view.focus(next?.id ?? null)
  }

  #tellPresence(): void {
    this.#presenceTimer ??= setTimeout(() => {
      this.#presenceTimer = undefined
      const { focused, editing } = this.view.get()
      const state = { id: this.identity.id, step: focused, doing: editing === null ? '' : 'typing' }
      const text = JSON.stringify(state)
      if (text === this.#presence || this.live.status.kind === 'closed') return
      this.#presence = text
      this.live.setPresence(state)
    }, PRESENCE_MS)
  }
}
