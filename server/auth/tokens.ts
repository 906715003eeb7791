import { createSecretKey, randomUUID } from 'node:crypto'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import { createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { Claims, type Identity, identityOf } from './claims.ts'
import { KeysUnavailable, NotAuthenticated } from './refusals.ts'

/** Characters of a token: what fits a header beside others. */
const MAX_TOKEN = 8_192
/** Milliseconds that the clock of who signs may be ahead of ours. A token that is over is over. */
const TOLERANCE_MS = 5_000
/** Milliseconds that keys are kept, that fetching them may take, and between two fetches for a key nobody knows. */
const KEYS_KEPT_MS = 600_000
const KEYS_PATIENCE_MS = 5_000
const KEYS_COOLDOWN_MS = 10_000
/** Each kind of key takes its own algorithms only: a public key is never tried as a secret. */
const BY_SECRET = 'HS256'
const BY_KEYS = ['RS256', 'ES256', 'EdDSA', 'Ed25519']

export interface TokenOptions {
  /** At least 32 bytes. */
  readonly secret: string | null
  readonly jwksUrl: string | null
  /** Whom tokens must be meant for, and who must have made them; null: whomever, whoever. */
  readonly audience: string | null
  readonly issuer: string | null
  /** Milliseconds that a token may be good for, from its issue to its end. */
  readonly maxLifeMs: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** @throws NotAuthenticated that says what is wrong with the token, KeysUnavailable */
export type VerifyToken = (token: string) => Promise<Identity>

/** How tokens are checked: signature first, and only then what they say. */
export function createVerifier(options: TokenOptions): VerifyToken {
  const { secret, jwksUrl, audience, issuer, maxLifeMs, now = Date.now } = options
  const secretKey = secret === null ? null : createSecretKey(Buffer.from(secret))
  const keys =
    jwksUrl === null
      ? null
      : createRemoteJWKSet(new URL(jwksUrl), {
          cacheMaxAge: KEYS_KEPT_MS,
          timeoutDuration: KEYS_PATIENCE_MS,
          cooldownDuration: KEYS_COOLDOWN_MS,
        })
  const common = { ...(audience === null ? {} : { audience }), ...(issuer === null ? {} : { issuer }) }

  const verify = async (token: string): Promise<JWTPayload> => {
    const algorithm = algorithmOf(token)
    const checks: JWTVerifyOptions = {
      ...common,
      currentDate: new Date(now()),
      clockTolerance: TOLERANCE_MS / 1_000,
      requiredClaims: ['exp'],
    }
    if (secretKey !== null && algorithm === BY_SECRET) {
      return (await jwtVerify(token, secretKey, { ...checks, algorithms: [BY_SECRET] })).payload
    }
    if (keys !== null && BY_KEYS.includes(algorithm)) {
      return (await jwtVerify(token, keys, { ...checks, algorithms: BY_KEYS })).payload
    }
    throw new NotAuthenticated('the token is signed in a way that is not accepted here', true)
  }

  return async (token) => {
    let payload: JWTPayload
    try {
      payload = await verify(token)
    } catch (error) {
      throw explain(error)
    }
    const parsed = Claims.safeParse(payload)
    if (!parsed.success) throw new NotAuthenticated(`the token is wrong: ${complaints(parsed.error)}`, true)
    const identity = identityOf(parsed.data, maxLifeMs)
    const { issuedAt, expiresAt } = identity
    if (expiresAt <= now()) throw new NotAuthenticated('the token has expired', true)
    if (issuedAt > now() + TOLERANCE_MS) throw new NotAuthenticated('the token is from the future', true)
    if (expiresAt - issuedAt > maxLifeMs) {
      throw new NotAuthenticated(`the token is good for longer than ${maxLifeMs / 86_400_000} days`, true)
    }
    return identity
  }
}

function algorithmOf(token: string): string {
  try {
    const { alg } = token.length > MAX_TOKEN ? {} : decodeProtectedHeader(token)
    if (typeof alg === 'string') return alg
  } catch {
    // said below
  }
  throw new NotAuthenticated('the token is not whole: one has three parts, with dots between them', true)
}

/** What jose means. Its own words are not passed on: some hold parts of the token or of the keys. */
function explain(error: unknown): NotAuthenticated | KeysUnavailable {
  if (error instanceof NotAuthenticated) return error
  const because = (reason: string): NotAuthenticated => new NotAuthenticated(reason, true)
  if (error instanceof errors.JWTExpired) return because('the token has expired')
  if (error instanceof errors.JWTClaimValidationFailed) return because(`the token is wrong: ${error.claim}`)
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return because('the token is not signed by a key that is known here')
  }
  const isOfKeys = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || isPlain(error)
  if (isOfKeys) return new KeysUnavailable('The keys for tokens could not be had.', { cause: error })
  return because('the token cannot be read: it may have been copied in part')
}

/** jose throws its plain error when the keys' server answers with anything but 200 and JSON; fetch throws its own. */
const isPlain = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || error.code === errors.JOSEError.code

const complaints = ({ issues }: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }): string =>
  issues.map(({ path, message }) => `${path.map(String).join('.')} ${message}`).join('; ')

export interface NewToken {
  readonly claims: Omit<Claims, 'iat' | 'jti'>
  /** Whom it is meant for and who makes it, if servers ask for that. */
  readonly audience: string | null
  readonly issuer: string | null
  /** Seconds since 1970. */
  readonly issuedAt: number
}

/** A token by the shared secret, with an id by which it can be revoked. */
export async function signToken(secret: string, { claims, audience, issuer, issuedAt }: NewToken): Promise<NamedToken> {
  const { exp, sub, ...rest } = claims
  const tokenId = randomUUID()
  const jwt = new SignJWT(rest).setProtectedHeader({ alg: BY_SECRET, typ: 'JWT' }).setSubject(sub).setJti(tokenId)
  jwt.setIssuedAt(issuedAt).setExpirationTime(exp)
  if (audience !== null) jwt.setAudience(audience)
  if (issuer !== null) jwt.setIssuer(issuer)
  return { token: await jwt.sign(createSecretKey(Buffer.from(secret))), tokenId }
}

export interface NamedToken {
  readonly token: string
  readonly tokenId: string
}
