import { Store } from './store.ts'

/** What actors are called, by their ids: as the log and their presence tell. */
export class Names extends Store<ReadonlyMap<string, string>> {
  constructor() {
    super(new Map())
  }

  learn(actors: Iterable<{ readonly id: string; readonly name: string }>): void {
    let next: Map<string, string> | null = null
    for (const { id, name } of actors) {
      if (id === '' || name === '' || this.get().get(id) === name) continue
      next ??= new Map(this.get())
      next.set(id, name)
    }
    if (next !== null) this.set(next)
  }
}
