import type { LivePlan, Plan, PlanEvent, PlanOperation, StepId } from '../../sdk/index.ts'
import { Drafts, type TextKey } from './drafts.ts'
import { mergeAdded } from './merge-text.ts'
import { Store } from './store.ts'

/** Two texts of which one is to be chosen; the other one is what the plan has. */
export interface TextChoice {
  readonly key: TextKey
  readonly mine: string
  readonly base: string
  /** What the plan had when it was told; it may have changed since. */
  readonly theirs: string
  readonly why: string
}

interface TextsHost {
  readonly thread: string
  readonly plan: Plan
  readonly live: Pick<LivePlan, 'writersOf'>
  write(...operations: readonly PlanOperation[]): boolean
  tell(text: string): void
}

const idOf = (key: TextKey): StepId => key.slice(key.indexOf(':') + 1) as StepId

/** What a plan has at a place; null if the place is gone. */
export function textAt(plan: Plan, key: TextKey): string | null {
  if (key === 'title') return plan.title
  const step = plan.step(idOf(key))
  return step === undefined ? null : key.startsWith('details:') ? step.details : step.text
}

/** What the place is called. */
export function nameOfText(plan: Plan, key: TextKey): string {
  if (key === 'title') return 'the title'
  const text = plan.step(idOf(key))?.text ?? 'a step that is gone'
  return key.startsWith('details:') ? `the details of “${text}”` : `the step “${text}”`
}

/** The one way in which typed text gets into the plan, so that nobody's words go unseen. */
export class Texts extends Store<readonly TextChoice[]> {
  readonly drafts: Drafts
  readonly #session: TextsHost
  /** What was last written here at each place, as long as it stands. */
  readonly #own = new Map<TextKey, string>()

  constructor(session: TextsHost) {
    super([])
    this.#session = session
    this.drafts = new Drafts(session.thread)
    this.#offerDrafts(this.drafts.all())
    void this.drafts.adopt().then((left) => this.#offerDrafts(left))
  }

  /** @returns whether it is in the plan, or need not be; else a choice is offered, and the text is kept for it */
  keep(key: TextKey, text: string, base: string): boolean {
    const now = textAt(this.#session.plan, key)
    if (text === base || text === now) return this.#drop(key)
    if (now === null) return this.#offer({ key, mine: text, base, theirs: '', why: 'It was removed while you typed.' })
    if (now === base) return this.#write(key, text) && this.#drop(key)
    const merged = mergeAdded(base, text, now)
    const who = this.#author(key)
    if (merged !== null && this.#write(key, merged)) {
      this.#session.tell(`${who} added to ${nameOfText(this.#session.plan, key)} too: both are in it now.`)
      return this.#drop(key)
    }
    return this.#offer({ key, mine: text, base, theirs: now, why: `${who} wrote another text while you typed yours.` })
  }

  /** Together with other changes, as one; only where nobody wrote meanwhile. @returns whether it was done */
  keepWith(key: TextKey, text: string, base: string, also: readonly PlanOperation[]): boolean {
    if (textAt(this.#session.plan, key) !== base || !this.#write(key, text, also)) return false
    return this.#drop(key)
  }

  take(choice: TextChoice, which: 'mine' | 'theirs'): void {
    if (which === 'theirs' || this.#write(choice.key, choice.mine)) this.#drop(choice.key)
  }

  /** Somebody else may have written over what was written here. */
  changed({ before, after }: Extract<PlanEvent, { type: 'change' }>): void {
    for (const [key, mine] of this.#own) {
      const now = textAt(after, key)
      if (now === mine) continue
      this.#own.delete(key)
      if (now === null || now.includes(mine) || textAt(before, key) !== mine) continue
      this.#offer({ key, mine, base: mine, theirs: now, why: `${this.#author(key)} replaced what you wrote.` })
    }
  }

  #author(key: TextKey): string {
    if (key === 'title') return 'Somebody'
    const id = idOf(key)
    const field = key.startsWith('details:') ? 'details' : 'text'
    return (
      this.#session.live
        .writersOf(new Set([id]))
        .get(id)
        ?.get(field) || 'Somebody'
    )
  }

  #offerDrafts(drafts: ReturnType<Drafts['all']>): void {
    for (const [key, { text, base }] of drafts)
      if (key !== 'new')
        this.#offer({ key, mine: text, base, theirs: base, why: 'You had typed this, and it was not kept yet.' })
  }

  #offer(choice: TextChoice): false {
    this.drafts.set(choice.key, { text: choice.mine, base: choice.base })
    this.set([...this.get().filter(({ key }) => key !== choice.key), choice])
    return false
  }

  #write(key: TextKey, text: string, also: readonly PlanOperation[] = []): boolean {
    const id = idOf(key)
    const isDone = this.#session.write(
      key === 'title'
        ? { type: 'setTitle', title: text }
        : { type: 'setStep', id, fields: key.startsWith('details:') ? { details: text } : { text } },
      ...also,
    )
    if (isDone) this.#own.set(key, text)
    return isDone
  }

  #drop(key: TextKey): true {
    this.drafts.drop(key)
    if (this.get().some((choice) => choice.key === key)) this.set(this.get().filter((choice) => choice.key !== key))
    return true
  }
}
