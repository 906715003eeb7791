/** There is no token, or none that counts. The message is for whoever sent it, and holds nothing of it. */
export class NotAuthenticated extends Error {
  override readonly name = 'NotAuthenticated'
  /** Whether there was one at all. */
  readonly hadToken: boolean
  constructor(message: string, hadToken: boolean) {
    super(message)
    this.hadToken = hadToken
  }
}

/** The token was good, and was revoked. */
export class Revoked extends NotAuthenticated {
  constructor() {
    super('the token was revoked', true)
  }
}

/** The keys to check tokens with cannot be had just now. It says nothing about the token: come back. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}
