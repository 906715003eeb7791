import { createHmac, randomBytes } from 'node:crypto'
import type { ThreadId } from '../../shared/schema/ids.ts'

/**
 * The Yjs client ids under which this process writes: one for each thread, however often it is opened. They are not
 * stored, since a storage can be put back to an older copy: clients would then have what the server once wrote under the
 * id, and the server would write something else under the same clocks. With its process, or with a storage that failed,
 * it takes new ones. Nobody can guess one and write under it before the server does.
 */
export class ServerIds {
  #secret = randomBytes(32)

  of(thread: ThreadId): number {
    return createHmac('sha256', this.#secret).update(thread).digest().readUInt32BE()
  }

  /** The storage may not have what was written under these: threads that are opened from now on have others. */
  renew(): void {
    this.#secret = randomBytes(32)
  }
}
