import { Store } from './store.ts'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

const SHOWN_MS = 9_000
const MOST = 3

/** Short words at the edge of the page that go by themselves. */
export class Notices extends Store<readonly Notice[]> {
  #next = 1
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()

  constructor() {
    super([])
  }

  show(text: string, action?: Notice['action']): void {
    const id = this.#next++
    this.set([...this.get(), { id, text, ...(action === undefined ? {} : { action }) }].slice(-MOST))
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.dismiss(id)
    }, SHOWN_MS)
    this.#timers.add(timer)
  }

  dismiss(id: number): void {
    if (this.get().some((notice) => notice.id === id)) this.set(this.get().filter((notice) => notice.id !== id))
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
