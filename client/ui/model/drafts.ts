import { recall, remember } from './identity.ts'

/** Text that is not in the plan yet. */
export interface Draft {
  readonly text: string
  /** What stood there when the typing began. */
  readonly base: string
}

/** Where text can be typed. */
export type TextKey = 'title' | 'new' | `text:${string}` | `details:${string}`

const PREFIX = 'planroom.drafts.'

/** What is being typed in this tab, kept by the browser until it is in the plan: over a reload, a crash, a closed tab. */
export class Drafts {
  readonly #prefix: string
  readonly #key: string
  readonly #drafts: Map<TextKey, Draft>

  constructor(thread: string) {
    const tab = tabId()
    this.#prefix = `${PREFIX}${thread}/`
    this.#key = this.#prefix + tab
    this.#drafts = new Map(read(this.#key))
    // As long as the tab lives it holds this: so others know whose drafts are left behind.
    void locks()?.request(`planroom.tab.${tab}`, { mode: 'shared' }, () => new Promise(() => {}))
  }

  all(): readonly (readonly [TextKey, Draft])[] {
    return [...this.#drafts]
  }

  set(key: TextKey, draft: Draft): void {
    this.#drafts.set(key, draft)
    this.#keep()
  }

  drop(key: TextKey): void {
    if (this.#drafts.delete(key)) this.#keep()
  }

  /** Takes over what tabs left behind that are gone. @returns it */
  async adopt(): Promise<readonly (readonly [TextKey, Draft])[]> {
    const held = await locks()?.query()
    if (held === undefined) return []
    const living = new Set(held.held?.map(({ name }) => name?.replace('planroom.tab.', '')))
    const left: (readonly [TextKey, Draft])[] = []
    for (const key of storedKeys()) {
      if (!key.startsWith(this.#prefix) || key === this.#key || living.has(key.slice(this.#prefix.length))) continue
      for (const [field, draft] of read(key)) if (!this.#drafts.has(field)) left.push([field, draft])
      remember(key, null)
    }
    for (const [field, draft] of left) this.#drafts.set(field, draft)
    this.#keep()
    return left
  }

  #keep(): void {
    remember(this.#key, this.#drafts.size === 0 ? null : JSON.stringify([...this.#drafts]))
  }
}

/** Only a secure page has them. */
const locks = (): LockManager | undefined => (navigator as Partial<Navigator>).locks

function tabId(): string {
  const made = Math.random().toString(36).slice(2)
  try {
    const id = sessionStorage.getItem('planroom.tab') ?? made
    sessionStorage.setItem('planroom.tab', id)
    return id
  } catch {
    return made
  }
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}

function read(key: string): [TextKey, Draft][] {
  try {
    const list = JSON.parse(recall(key) ?? '[]') as unknown
    return Array.isArray(list) ? (list as [TextKey, Draft][]) : []
  } catch {
    return []
  }
}
