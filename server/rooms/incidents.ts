import type { Log } from './log.ts'

/**
 * What went wrong that nobody who called was to blame for: a storage that failed, a room that threw, a watcher or a
 * socket that did, a thread that could not be opened, one whose stored plan cannot be read.
 */
export type Incident = 'storage' | 'room' | 'callback' | 'opening' | 'damaged'

const WORDS: Readonly<Record<Incident, string>> = {
  storage: 'the room lost its storage',
  room: 'the room made a mistake and was thrown away',
  callback: 'something that was told of a change threw',
  opening: 'a thread could not be opened',
  damaged: 'what is stored of a thread cannot be read; the thread is left alone',
}

/** Every incident is counted, and told to whoever runs the server; none ends the process. */
export class Incidents {
  readonly #log: Log
  readonly #counts = new Map<Incident, number>()

  constructor(log: Log) {
    this.#log = log
  }

  count(incident: Incident): number {
    return this.#counts.get(incident) ?? 0
  }

  note(incident: Incident, error: unknown, fields: object = {}): void {
    this.#counts.set(incident, this.count(incident) + 1)
    this.#log.error({ ...fields, err: error }, WORDS[incident])
  }
}
