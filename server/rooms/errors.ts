/** The room was lost while calls were under way. Their outcome is unknown: repeat with the same Idempotency-Key. */
export class RoomFailed extends Error {
  override readonly name = 'RoomFailed'
}
/** The storage could not open the thread just now. Nothing was read or changed: try again. */
export class ThreadUnavailable extends Error {
  override readonly name = 'ThreadUnavailable'
}
/** Nothing can be kept just now, and nothing was changed. The message says why, for whoever called. */
export class StorageUnwritable extends Error {
  override readonly name = 'StorageUnwritable'
}
/** What is stored of the thread cannot be read. It is left as it is, and needs somebody who mends it. */
export class ThreadDamaged extends Error {
  override readonly name = 'ThreadDamaged'
}
/** The Idempotency-Key was used before, for another call. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict'
}
/** The server is going down and takes no new work. */
export class Draining extends Error {
  override readonly name = 'Draining'
}
