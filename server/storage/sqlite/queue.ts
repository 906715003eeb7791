import type { Worker } from 'node:worker_threads'
import { IN_ORDER, type StorageCondition } from '../../rooms/storage.ts'
import type { BatchDone, FromWorker, Kind, Outcome, Request, RequestOf, Results, ToWorker } from './protocol.ts'
import { toError } from './protocol.ts'

/** Requests in one transaction: beyond this the first ones wait longer than the shared commit saves. */
const MAX_BATCH = 1_000
/** Bytes of one batch and its answers that are in memory at once. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024
/** Bytes that an opened plan is reckoned at, as nobody knows before: most are smaller, few are larger. */
const OPEN_BYTES = 1024 * 1024

/**
 * Milliseconds after which a disk that does not answer is not waited for: no slow one takes so long, and whoever calls has
 * to be told something.
 */
const STALL_MS = 10_000

interface Pending {
  readonly request: Request
  readonly resolve: (value: Results[Kind]) => void
  readonly reject: (error: Error) => void
}

export interface QueueCounts {
  /** Transactions that wrote, since the start. */
  readonly commits: number
  /** Entries that were appended, since the start. */
  readonly appended: number
  /** Calls that have no answer yet. */
  readonly waiting: number
}

/**
 * The calls to one worker, in the order they were given. One batch is under way at a time; what comes meanwhile is the
 * next batch and shares its commit. When the worker dies, every call is refused, now and later.
 */
export class WorkerQueue {
  readonly #worker: Worker
  readonly #onCondition: (now: StorageCondition, before: StorageCondition) => void
  #condition = IN_ORDER
  /** Resolves when the thread has ended and released its files, with why it died if nobody told it to end. */
  readonly #exited: Promise<Error | null>
  #waiting: Pending[] = []
  #underWay: readonly Pending[] = []
  #scheduled = false
  #stallTimer: ReturnType<typeof setTimeout> | undefined
  /** Why calls are refused until the worker answers again. */
  #stall: Error | null = null
  #answered = false
  /** Why calls are refused, once they are. */
  #refusal: Error | null = null
  #death: Error | null = null
  #closing: Promise<void> | null = null
  /** Called when nothing waits any more. */
  #finish: (() => void) | null = null
  /** The worker was told to end. */
  #dismissed = false
  #commits = 0
  #appended = 0

  /** @param onCondition hears how the disk is, whenever that changes */
  constructor(worker: Worker, onCondition: (now: StorageCondition, before: StorageCondition) => void = () => {}) {
    this.#worker = worker
    this.#onCondition = onCondition
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'done') this.#settle(message)
      else this.#learn(message.condition)
    })
    worker.on('messageerror', (error) => {
      this.#die(error)
      void worker.terminate()
    })
    worker.on('error', (error) => this.#die(error))
    this.#exited = new Promise((resolve) => {
      worker.on('exit', (code) => {
        if (!this.#dismissed) this.#die(new Error(`its thread ended with code ${code}`))
        resolve(this.#death)
      })
    })
  }

  get condition(): StorageCondition {
    return this.#condition
  }

  #learn(condition: StorageCondition): void {
    const before = this.#condition
    this.#condition = condition
    this.#onCondition(condition, before)
  }

  counts(): QueueCounts {
    const waiting = this.#waiting.length + this.#underWay.length
    return { commits: this.#commits, appended: this.#appended, waiting }
  }

  /** @throws what the call throws in the worker; Error once the queue is closed or the worker is dead */
  call<K extends Kind>(request: RequestOf<K>): Promise<Results[K]> {
    const refusal = this.#refusal ?? this.#stall
    if (refusal !== null) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      // The one place where the type of an answer is taken from its question: the worker gives them in order.
      const settle = resolve as (value: Results[Kind]) => void
      this.#waiting.push({ request, resolve: settle, reject })
      this.#schedule()
    })
  }

  /** Answers what was given, then ends the worker. @throws Error if it died before it was through */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // A dead worker has released its files; there is nothing to finish.
    if (this.#death !== null) {
      await this.#exited
      return
    }
    this.#refusal = new Error('The storage is closed.')
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#finish = resolve))
    // It may have died meanwhile.
    if (this.#death === null) {
      this.#dismissed = true
      this.#worker.postMessage({ kind: 'close' } satisfies ToWorker)
    }
    const death = await this.#exited
    if (death !== null) throw death
  }

  #isIdle(): boolean {
    return this.#waiting.length === 0 && this.#underWay.length === 0
  }

  /** Sends a microtask later, so that the calls of one tick share a commit even if the worker is idle. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay.length > 0) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#underWay.length > 0 || this.#death !== null) return
    if (this.#waiting.length === 0) {
      this.#finish?.()
      return
    }
    const size = batchSize(this.#waiting)
    const batch = this.#waiting.slice(0, size)
    this.#waiting = this.#waiting.slice(size)
    const message: ToWorker = { kind: 'batch', requests: batch.map((pending) => pending.request) }
    this.#underWay = batch
    this.#watch()
    try {
      this.#worker.postMessage(message)
    } catch (error) {
      // Something that cannot be copied, such as a buffer that was moved elsewhere.
      const failure = { name: 'Error', message: `The call could not be sent: ${String(error)}` } as const
      this.#settle({ kind: 'done', outcomes: batch.map(() => ({ ok: false, failure })), committed: false })
    }
  }

  /** A disk that hangs keeps the worker in a system call for ever. Before the first answer it may be bringing the schema up to date. */
  #watch(): void {
    clearTimeout(this.#stallTimer)
    if (!this.#answered) return
    this.#stallTimer = setTimeout(() => {
      this.#stall = new Error(`The disk did not answer within ${STALL_MS} ms.`)
      const refused = [...this.#underWay, ...this.#waiting]
      this.#waiting = []
      // What is under way may be kept all the same; its answer is for nobody any more, and says that the disk is back.
      for (const { reject } of refused) reject(this.#stall)
    }, STALL_MS)
    this.#stallTimer.unref()
  }

  #settle({ outcomes, committed }: BatchDone): void {
    this.#answered = true
    clearTimeout(this.#stallTimer)
    this.#stall = null
    const batch = this.#underWay
    this.#underWay = []
    if (committed) this.#commits += 1
    batch.forEach(({ request, resolve, reject }, index) => {
      const outcome: Outcome = outcomes[index] ?? { ok: false, failure: { name: 'Error', message: 'No answer.' } }
      if (outcome.ok) {
        if (request.kind === 'append') this.#appended += 1
        resolve(outcome.value)
        return
      }
      const error = toError(outcome.failure)
      reject(error)
      if (request.kind === 'append') this.#breakLine(request.thread, error)
    })
    this.#send()
  }

  /** The appends of a thread that were given before anybody could know that the one before them failed. */
  #breakLine(thread: string, error: Error): void {
    const inLine = ({ request }: Pending): boolean => request.kind === 'append' && request.thread === thread
    const failed = this.#waiting.filter(inLine)
    if (failed.length === 0) return
    this.#waiting = this.#waiting.filter((pending) => !inLine(pending))
    for (const pending of failed) pending.reject(error)
  }

  #die(cause: unknown): void {
    if (this.#death !== null) return
    const error = cause instanceof Error ? cause : new Error(String(cause))
    // Before the first answer it is the start that failed, and its own words say best why.
    this.#death = this.#answered ? new Error(`The storage's worker died: ${error.message}`, { cause: error }) : error
    this.#refusal = this.#death
    clearTimeout(this.#stallTimer)
    const lost = [...this.#underWay, ...this.#waiting]
    this.#underWay = []
    this.#waiting = []
    for (const { reject } of lost) reject(this.#death)
    this.#finish?.()
  }
}

/** How many of the waiting calls fit into one batch: at least one. */
function batchSize(waiting: readonly Pending[]): number {
  let bytes = 0
  let count = 0
  for (const { request } of waiting) {
    bytes += bytesOf(request)
    if (count > 0 && (count === MAX_BATCH || bytes > MAX_BATCH_BYTES)) break
    count += 1
  }
  return count
}

function bytesOf(request: Request): number {
  switch (request.kind) {
    case 'append':
      return request.entry.update.byteLength
    case 'snapshot':
      return request.state.byteLength
    case 'saveView':
      return 2 * request.view.state.length
    case 'open':
      return OPEN_BYTES
    default:
      return 0
  }
}
