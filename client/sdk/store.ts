/**
 * Where a client keeps its copy of a plan while it is away. A store knows nothing of plans: it keeps records in order,
 * and hands back those that it can still read. A record that was damaged costs that record, not the ones behind it.
 */
export interface PlanStore {
  /** All records that can be read, in the order in which they were appended. Called once, before anything else. */
  load(): Promise<readonly Uint8Array[]>
  /** Adds a record. Resolves when it is kept. */
  append(record: Uint8Array): Promise<void>
  /** Puts these records in the place of all that this store has loaded or appended, at once or not at all. */
  replace(records: readonly Uint8Array[]): Promise<void>
  /** Copies all that there is to another place, so that nothing is lost when it is replaced. @returns where it lies */
  setAside(): Promise<string>
  /** Forgets all of it; what was set aside stays. */
  clear(): Promise<void>
  /** Resolves when all is kept; then the store can be opened by somebody else. */
  close(): Promise<void>
  /** Under which name other tabs of the browser have the same store; they tell each other what changes offline. */
  readonly channel?: string
}

/** A store that lasts as long as the page or the process. */
export function memoryStore(): PlanStore & { readonly aside: readonly (readonly Uint8Array[])[] } {
  let records: Uint8Array[] = []
  const aside: Uint8Array[][] = []
  return {
    aside,
    load: async () => records,
    append: async (record) => void records.push(record),
    replace: async (others) => void (records = [...others]),
    setAside: async () => {
      aside.push([...records])
      return `${aside.length - 1}`
    },
    clear: async () => void (records = []),
    close: async () => {},
  }
}
