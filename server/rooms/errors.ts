/** The room lost its storage while calls were under way. Their outcome is unknown: repeat with the same Idempotency-Key. */
export class RoomFailed extends Error {
  override readonly name = 'RoomFailed'
}
/** The Idempotency-Key was used before, for another call. */
export class KeyConflict extends Error {
  override readonly name = 'KeyConflict'
}
/** The server is going down and takes no new work. */
export class Draining extends Error {
  override readonly name = 'Draining'
}
