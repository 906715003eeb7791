import { ApiError, deleteThread, listThreads, type ThreadInfo } from './api.ts'
import type { Identity } from './identity.ts'
import { recall, remember } from './identity.ts'
import { Store } from './store.ts'
import { connectPlan } from '../../sdk/index.ts'

/** Plans that are asked for at first, and at each look for more. */
const PAGE = 100
/** Milliseconds between two looks while somebody looks at the list. */
const LOOK_MS = 4_000
/** Milliseconds that somebody types on before it is searched. */
const TYPING_MS = 150
/** Plans that are kept for times without a network. */
const KEPT = 200

export interface PlansState {
  /** The latest changed first; null: nothing is known yet. */
  readonly threads: readonly ThreadInfo[] | null
  readonly query: string
  readonly hasMore: boolean
  /** Milliseconds since 1970 at which the server told this, where it cannot be reached now; else null. */
  readonly asOf: number | null
  /** Why the server does not tell. */
  readonly refusal: { readonly why: string; readonly needsToken: boolean } | null
}

interface Kept {
  readonly at: number
  readonly threads: readonly ThreadInfo[]
}

/** All plans, asked for again and again while the list is looked at, and kept for when there is no network. */
export class Plans extends Store<PlansState> {
  readonly #identity: Identity
  #timer: ReturnType<typeof setTimeout> | undefined
  #limit = PAGE
  /** Counts the questions: an answer to an old one comes too late. */
  #turn = 0
  #isClosed = false

  constructor(identity: Identity) {
    super({ threads: null, query: '', hasMore: false, asOf: null, refusal: null })
    this.#identity = identity
  }

  /** Begins to ask. @returns how to stop */
  open(): () => void {
    this.#isClosed = false
    document.addEventListener('visibilitychange', this.#onLook)
    window.addEventListener('online', this.#onLook)
    void this.#ask()
    return () => this.#close()
  }

  #close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#onLook)
    window.removeEventListener('online', this.#onLook)
  }

  search(query: string): void {
    this.#limit = PAGE
    this.patch({ query })
    this.#soon(TYPING_MS)
  }

  more(): void {
    this.#limit += PAGE
    void this.#ask()
  }

  /** @throws ApiError, or TypeError without a network */
  async remove(thread: string): Promise<void> {
    await deleteThread(this.#identity.token, thread)
    await this.#ask()
  }

  /** @throws Error that says why it was not done */
  async rename(thread: string, title: string): Promise<void> {
    const { token, id, name } = this.#identity
    const live = connectPlan({
      url: location.origin,
      thread,
      id,
      name: name || 'Guest',
      ...(token === null ? {} : { token }),
    })
    try {
      await live.whenSynced()
      live.apply([{ type: 'setTitle', title }])
      await live.whenSaved()
    } finally {
      await live.close()
    }
    await this.#ask()
  }

  readonly #onLook = (): void => {
    if (document.visibilityState === 'visible') void this.#ask()
  }

  #soon(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onLook, milliseconds)
  }

  async #ask(): Promise<void> {
    const turn = ++this.#turn
    const { query } = this.get()
    try {
      const threads: ThreadInfo[] = []
      let after: string | null = ''
      while (after !== null && threads.length < this.#limit) {
        const page = await listThreads(this.#identity.token, query, PAGE, after)
        threads.push(...page.threads)
        after = page.next
      }
      if (turn !== this.#turn || this.#isClosed) return
      const found = threads.toSorted((a, b) => b.updatedAt - a.updatedAt)
      if (query === '') this.#keep({ at: Date.now(), threads: found.slice(0, KEPT) })
      this.patch({ threads: found, hasMore: after !== null, asOf: null, refusal: null })
    } catch (error) {
      if (turn !== this.#turn || this.#isClosed) return
      if (error instanceof ApiError && error.status < 500) {
        this.patch({ threads: null, refusal: { why: error.message, needsToken: error.status === 401 } })
      } else this.#showKept()
    }
    if (!this.#isClosed) this.#soon(LOOK_MS)
  }

  /** What the server told last: perhaps in another visit. */
  #showKept(): void {
    const { at, threads } = this.#read() ?? { at: 0, threads: [] }
    const word = this.get().query.toLocaleLowerCase()
    const found = threads.filter(({ thread, title }) => `${thread} ${title}`.toLocaleLowerCase().includes(word))
    this.patch({ threads: found.map((info) => ({ ...info, people: [] })), hasMore: false, asOf: at, refusal: null })
  }

  get #key(): string {
    return `planroom.plans.${this.#identity.id}`
  }

  #keep(kept: Kept): void {
    remember(this.#key, JSON.stringify(kept))
  }

  #read(): Kept | null {
    try {
      const kept = JSON.parse(recall(this.#key) ?? 'null') as Kept | null
      return Array.isArray(kept?.threads) ? kept : null
    } catch {
      return null
    }
  }
}
