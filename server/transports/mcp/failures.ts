import {
  Draining,
  KeyConflict,
  RoomFailed,
  StorageUnwritable,
  ThreadDamaged,
  ThreadUnavailable,
} from '../../rooms/errors.ts'
import { ThreadDeleted } from '../../rooms/storage.ts'

/** Where a call's key stands: in its `_meta`, which hosts set and models never see. */
export const KEY_FIELD = 'planroom/idempotencyKey'

/** What a failure means for whoever called; null for one that nobody foresaw. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof KeyConflict) {
    return `This ${KEY_FIELD} was used in this thread for a call with other arguments. Nothing was changed. A repeat must be the same call; a new call needs a new key.`
  }
  if (error instanceof RoomFailed) {
    return `The storage failed, so the outcome is unknown: repeat with the same ${KEY_FIELD}, and it is done once. Without one, look at the plan before you repeat.`
  }
  if (error instanceof StorageUnwritable) return `${error.message} Nothing was changed. The plan can still be read.`
  if (error instanceof ThreadUnavailable) {
    return 'The plan could not be opened just now. Nothing was changed. Try again in a moment.'
  }
  if (error instanceof ThreadDamaged) {
    return 'What is stored of this plan cannot be read, and somebody has to mend it. Nothing was changed.'
  }
  if (error instanceof ThreadDeleted) return 'This thread was deleted, and its id is not given again.'
  if (error instanceof Draining) return 'The server is shutting down. Nothing was changed. Try again in a moment.'
  return null
}
