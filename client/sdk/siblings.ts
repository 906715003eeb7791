import * as Y from 'yjs'

/** What copies of one plan in the tabs of one browser tell each other, while they have no server. */
type Message =
  /** What a copy has, for the others to add to it; an answer is not answered with another. */
  | { readonly kind: 'has'; readonly state: Uint8Array; readonly isAnswer: boolean }
  | { readonly kind: 'update'; readonly update: Uint8Array }

const SIBLING = Symbol('sibling')
/** What an update without any content takes. */
const EMPTY = 2

/**
 * The same plan in other tabs: what is changed in one without a connection is seen in the others, and stays there when that
 * one is closed. With a connection each hears the server alone.
 */
export class Siblings {
  readonly #channel: BroadcastChannel
  readonly #doc: Y.Doc
  readonly #isAlone: () => boolean
  readonly #onUpdate: (update: Uint8Array, origin: unknown, doc: Y.Doc, transaction: Y.Transaction) => void

  /**
   * @param name of the store that the copies share: one plan and one account
   * @param isAlone whether this copy has no connection now
   * @param onHeard an update of another copy was applied
   */
  constructor(name: string, doc: Y.Doc, isAlone: () => boolean, onHeard: (update: Uint8Array) => void) {
    this.#channel = new BroadcastChannel(`planroom.siblings/${name}`)
    this.#doc = doc
    this.#isAlone = isAlone
    this.#onUpdate = (update, origin, _doc, { local }) => {
      if (origin === SIBLING) onHeard(update)
      else if (local && isAlone()) this.#tell({ kind: 'update', update })
    }
    doc.on('update', this.#onUpdate)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (!isAlone()) return
      if (data.kind === 'has') return this.#answer(data)
      Y.applyUpdate(doc, data.update, SIBLING)
    })
    this.greet()
  }

  /** Asks the others for what this copy does not have. */
  greet(isAnswer = false): void {
    if (this.#isAlone()) this.#tell({ kind: 'has', state: Y.encodeStateVector(this.#doc), isAnswer })
  }

  close(): void {
    this.#doc.off('update', this.#onUpdate)
    this.#channel.close()
  }

  #answer({ state, isAnswer }: Message & { readonly kind: 'has' }): void {
    const update = Y.encodeStateAsUpdate(this.#doc, state)
    if (update.length > EMPTY) this.#tell({ kind: 'update', update })
    if (!isAnswer) this.greet(true)
  }

  #tell(message: Message): void {
    this.#channel.postMessage(message)
  }
}
