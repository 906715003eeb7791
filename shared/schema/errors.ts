/** Why an operation was refused. Nothing was changed. The message is written for whoever made the call to read and mend. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}
