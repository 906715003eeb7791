import * as encoding from 'lib0/encoding'

/** Milliseconds between two looks, and of silence after which a sign of life is asked for. */
const LOOK_MS = 1_000
const SILENCE_MS = 4_000
/** Looks until the answer must be there. They are counted, not timed: a page that slept hears its answer first. */
const ANSWER_LOOKS = 4
/** Milliseconds that a connection may take to open: a way that swallows everything says nothing either. */
const OPENING_MS = 20_000

const AWARENESS = 1
/** Awareness of nobody: a server that knows this client answers with the same. */
const ASK = encoding.encode((encoder) => {
  encoding.writeVarUint(encoder, AWARENESS)
  encoding.writeVarUint8Array(
    encoder,
    encoding.encode((nobody) => encoding.writeVarUint(nobody, 0)),
  )
})

/** What is watched: a y-websocket provider is one. */
interface Wire {
  readonly wsconnected: boolean
  readonly wsconnecting: boolean
  /** Milliseconds since 1970. */
  readonly wsLastMessageReceived: number
  readonly ws: WebSocket | null
}

/** Feels whether a connection is alive: where the network is gone, a socket can look open for minutes. */
export class Pulse {
  readonly #wire: Wire
  readonly #onDead: () => void
  #timer: ReturnType<typeof setInterval> | undefined
  #askedAt: number | null = null
  #looks = 0
  /** The server has answered before; without that its silence says nothing. */
  #isAnswered = false
  #openingSince: number | null = null

  /** @param onDead called when the connection gives no sign of life */
  constructor(wire: Wire, onDead: () => void) {
    this.#wire = wire
    this.#onDead = onDead
  }

  start(): void {
    this.stop()
    this.#openingSince = Date.now()
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#askedAt = null
  }

  #look(): void {
    const { wsconnected, wsconnecting, wsLastMessageReceived, ws } = this.#wire
    const now = Date.now()
    if (!wsconnected || ws === null) {
      if (wsconnecting && now - (this.#openingSince ?? now) > OPENING_MS) this.#onDead()
      return
    }
    if (this.#askedAt !== null && wsLastMessageReceived >= this.#askedAt) {
      this.#askedAt = null
      this.#isAnswered = true
    }
    if (this.#askedAt === null) {
      if (this.#isAnswered && now - wsLastMessageReceived < SILENCE_MS) return
      this.#askedAt = now
      this.#looks = 0
      ws.send(ASK)
    } else if (++this.#looks >= ANSWER_LOOKS && this.#isAnswered) this.#onDead()
  }
}
