import { WebSocket } from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { applyChange } from '../../shared/plan/apply.ts'
import { checkOperations, isEmpty } from '../../shared/plan/check.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { PlanReader } from '../../shared/plan/read.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'

export interface ConnectOptions {
  /** Where the server is, such as http://127.0.0.1:4080. */
  readonly url: string
  readonly thread: string
  /** Who is there. */
  readonly name: string
}

/** A replica of a plan that follows the server, over an unmodified y-websocket client. */
export class ConnectedPlan {
  readonly doc = new Y.Doc()
  readonly provider: WebsocketProvider
  readonly #name: string
  readonly #reader = new PlanReader(this.doc)

  constructor({ url, thread, name }: ConnectOptions) {
    this.#name = name
    this.provider = new WebsocketProvider(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/sync`, thread, this.doc, {
      params: { name },
      WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
      disableBc: true,
    })
  }

  get plan(): Plan {
    return this.#reader.plan
  }

  /** Changes the replica, online or not. @throws PlanError, and then nothing was changed */
  apply(operations: readonly PlanOperation[]): void {
    const change = checkOperations(this.plan, operations, { by: this.#name, at: Date.now() })
    if (!isEmpty(change)) applyChange(this.doc, change, this)
  }

  /** Resolves when the replica has all that the server has. */
  whenSynced(): Promise<void> {
    if (this.provider.synced) return Promise.resolve()
    return new Promise((resolve) => {
      const onSync = (synced: boolean): void => {
        if (!synced) return
        this.provider.off('sync', onSync)
        resolve()
      }
      this.provider.on('sync', onSync)
    })
  }

  /** Calls `listener` after every change, whoever made it. @returns how to stop */
  subscribe(listener: (plan: Plan) => void): () => void {
    const onUpdate = (): void => listener(this.plan)
    this.doc.on('update', onUpdate)
    return () => this.doc.off('update', onUpdate)
  }

  close(): void {
    this.provider.destroy()
    this.#reader.destroy()
    this.doc.destroy()
  }
}
