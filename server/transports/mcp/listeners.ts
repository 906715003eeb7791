import type { McpHttpHandler, ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'

/** Bytes of notices that may wait for a reader: some minutes of changes without end. */
const MAX_UNREAD_BYTES = 256 * 1024

/** How the listeners of one thread hear of its changes: many changes at a time are told once. */
export class Notices implements ServerEventBus {
  readonly #watch: (changed: () => void, removed: () => void) => () => void
  readonly #events: readonly ServerEvent[]
  readonly #delay: number
  readonly #onLeft: () => void
  readonly #onRemoved: () => void
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  #unwatch: (() => void) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param watch calls back with every change, and when the thread was deleted, until what it returned is called
   * @param events what is told of a change
   * @param delay milliseconds from a change to telling it
   * @param onLeft called when a listener has left
   * @param onRemoved called when there is nothing left to listen to, after the listeners were told of a last change
   */
  constructor(
    watch: (changed: () => void, removed: () => void) => () => void,
    events: readonly ServerEvent[],
    delay: number,
    onLeft: () => void,
    onRemoved: () => void = () => {},
  ) {
    this.#watch = watch
    this.#events = events
    this.#delay = delay
    this.#onLeft = onLeft
    this.#onRemoved = onRemoved
  }

  get size(): number {
    return this.#listeners.size
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener)
    this.#unwatch ??= this.#watch(
      () => this.#changed(),
      () => this.#removed(),
    )
    return () => {
      if (!this.#listeners.delete(listener)) return
      if (this.#listeners.size === 0) this.#stop()
      this.#onLeft()
    }
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#publishAll()
    }, this.#delay)
  }

  #removed(): void {
    this.#publishAll()
    this.#onRemoved()
  }

  #publishAll(): void {
    for (const event of this.#events) this.publish(event)
  }

  #stop(): void {
    this.#unwatch?.()
    this.#unwatch = null
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** Calls `end` when somebody may no longer listen. @returns how to say that nobody does any more */
export type Hold = (end: () => void) => () => void

/** The handler and the listeners of one thread. */
interface Station {
  readonly handler: McpHttpHandler
  readonly notices: Notices
  /** Requests that may become listeners. */
  pending: number
}

export interface ListenersOptions<Thread> {
  /** Calls back with every change of a thread, and when it was deleted, until what it returned is called. */
  readonly watch: (thread: Thread, changed: () => void, removed: () => void) => () => void
  /** What is told of a change of a thread. */
  readonly eventsOf: (thread: Thread) => readonly ServerEvent[]
  readonly createHandler: (bus: ServerEventBus) => McpHttpHandler
  /** Milliseconds from a change to telling it. */
  readonly delay: number
  /** Listeners at a time, over all threads. */
  readonly most: number
}

/**
 * Everybody who is subscribed. Each thread has a handler of its own, since a handler tells its listeners whatever it is
 * told; it is there as long as somebody listens.
 */
export class Listeners<Thread> {
  readonly #options: ListenersOptions<Thread>
  readonly #stations = new Map<Thread, Station>()

  constructor(options: ListenersOptions<Thread>) {
    this.#options = options
  }

  /** Listeners, and requests that may become some. */
  get count(): number {
    let count = 0
    for (const { notices, pending } of this.#stations.values()) count += notices.size + pending
    return count
  }
  /** Threads that somebody listens to. */
  get threads(): number {
    return this.#stations.size
  }

  /** Serves a request to listen. @returns null if there are too many listeners already */
  async listen(thread: Thread, request: Request, message: unknown, hold: Hold): Promise<Response | null> {
    if (this.count >= this.#options.most) return null
    const station = this.#stations.get(thread) ?? this.#open(thread)
    station.pending++
    try {
      const response = await station.handler.fetch(request, { parsedBody: message })
      return response.body === null ? response : new Response(bounded(response.body, MAX_UNREAD_BYTES, hold), response)
    } finally {
      station.pending--
      this.#closeIfLeft(thread, station)
    }
  }

  #open(thread: Thread): Station {
    const { watch, eventsOf, createHandler, delay } = this.#options
    const notices = new Notices(
      (changed, removed) => watch(thread, changed, removed),
      eventsOf(thread),
      delay,
      () => this.#closeIfLeft(thread, station),
      () => void station.handler.close().catch(() => {}),
    )
    const station: Station = { handler: createHandler(notices), notices, pending: 0 }
    this.#stations.set(thread, station)
    return station
  }

  #closeIfLeft(thread: Thread, station: Station): void {
    const isLeft = station.notices.size === 0 && station.pending === 0
    if (isLeft && this.#stations.get(thread) === station) this.#stations.delete(thread)
  }

  /** Tells all listeners that this is the end. */
  async close(): Promise<void> {
    await Promise.all([...this.#stations.values()].map(({ handler }) => handler.close()))
  }
}

/**
 * The same stream, for as long as it may be held. It ends too when its reader lets more than `most` bytes wait: such a
 * reader has stopped reading, and would fill the memory.
 */
export function bounded(source: ReadableStream<Uint8Array>, most: number, hold: Hold): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const release = hold(() => void reader.cancel().catch(() => {}))
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if ((controller.desiredSize ?? 0) < value.byteLength) throw new Error('The reader is too slow.')
        controller.enqueue(value)
      }
    } catch (error) {
      controller.error(error)
      await reader.cancel(error).catch(() => {})
    } finally {
      release()
    }
  }
  return new ReadableStream<Uint8Array>(
    { start: (controller) => void pump(controller), cancel: (reason) => reader.cancel(reason) },
    new ByteLengthQueuingStrategy({ highWaterMark: most }),
  )
}
