import { FRAME_BURST, FRAME_RATE, REFUSAL_WORK_MS, WORK_BURST_MS, WORK_RATE_MS } from '../../../shared/schema/limits.ts'
import { Bucket } from './bucket.ts'
import type { Limits } from './limits.ts'

/** Milliseconds of work that are gathered before the account of the actor or the address is charged. */
const CHARGE_MS = 50

/** What one connection uses of the server, and when that is too much. */
export class Meter {
  readonly #limits: Limits
  readonly #account: string | null
  readonly #onTooMuch: (reason: string) => void
  readonly #frames = new Bucket(FRAME_BURST, FRAME_RATE)
  readonly #work = new Bucket(WORK_BURST_MS, WORK_RATE_MS)
  #uncharged = 0
  /** Milliseconds of work since it was last asked whether to wait. */
  #latest = 0

  /**
   * @param account who is charged besides the connection, for all connections together; null: nobody
   * @param onTooMuch called when it uses too much, perhaps more than once; the reason is for its user
   */
  constructor(limits: Limits, account: string | null, onTooMuch: (reason: string) => void) {
    this.#limits = limits
    this.#account = account
    this.#onTooMuch = onTooMuch
  }

  /** A frame has come. @returns whether it may be looked at */
  frame(): boolean {
    if (!this.#limits.isOn || this.#frames.take(1)) return true
    this.#onTooMuch('too many messages')
    return false
  }

  /** The server was busy with it for so many milliseconds. */
  work(milliseconds: number): void {
    if (!this.#limits.isOn) return
    this.#latest += milliseconds
    if (!this.#work.take(milliseconds)) this.#onTooMuch('what you send takes too long to work on')
    this.#uncharged += milliseconds
    if (this.#uncharged >= CHARGE_MS) this.#charge()
  }

  /**
   * Milliseconds that it has to wait after what it had done, so that it uses no more than it may in the long run: 0 while
   * half of what it may use at a time is left.
   */
  wait(): number {
    const latest = this.#latest
    this.#latest = 0
    if (this.#work.left >= WORK_BURST_MS / 2) return 0
    return Math.ceil((latest * 1_000) / WORK_RATE_MS - latest)
  }

  /** A frame was refused for good. */
  refused(): void {
    if (!this.#limits.isOn) return
    this.#uncharged += REFUSAL_WORK_MS
    this.#charge()
  }

  #charge(): void {
    const milliseconds = this.#uncharged
    this.#uncharged = 0
    const tell = (wait: number | null): void => {
      if (wait !== null) this.#onTooMuch(`what you send takes too long to work on: come back in ${wait} s`)
    }
    this.#limits.work.charge(this.#account, milliseconds).then(tell, () => {})
  }
}
