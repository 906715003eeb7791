import { Claims } from '../../../server/auth/claims.ts'
import { signToken } from '../../../server/auth/tokens.ts'
import { readConfig } from '../../../server/config.ts'
import { type Call, usageError } from '../command.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }

export async function run(call: Call): Promise<void> {
  const { secret, audience, issuer, maxLifeMs } = settings()
  if (secret === null) {
    throw usageError("PLANROOM_SECRET is not set. Give it the server's, such as one that `openssl rand -hex 32` makes.")
  }
  const name = call.text('name') ?? ''
  const [subject, kind, expires] = [call.text('subject') ?? name, call.text('kind'), call.text('expires')]
  const role = call.text('role') ?? 'editor'
  const given = call.list('thread')
  const threads = given.length === 0 ? ['*'] : given
  const life = Math.min(maxLifeMs / 1_000, seconds(expires ?? '30d'))
  if (expires !== undefined && life < seconds(expires)) {
    throw usageError(`--expires is longer than servers take: ${maxLifeMs / 86_400_000}d (PLANROOM_MAX_TOKEN_DAYS).`)
  }
  const issuedAt = Math.floor(Date.now() / 1_000)
  const wished = { sub: subject, name, kind, role, threads, exp: issuedAt + life }
  const parsed = Claims.safeParse(wished)
  if (!parsed.success) {
    throw usageError(
      parsed.error.issues.map(({ path, message }) => `${OPTIONS[String(path[0])]} ${message}.`).join('\n'),
    )
  }
  const { token, tokenId } = await signToken(secret, { claims: parsed.data, audience, issuer, issuedAt })
  const until = new Date(parsed.data.exp * 1_000).toISOString()
  call.show({ token, tokenId, subject, name, role, threads, until }, () => `${token}\n`)
  if (call.isJson) return
  call.terminal.complain(
    `For ${subject}, ${role} of ${threads.join(', ')}, until ${until}. To revoke it: {"tokenId": "${tokenId}"}\n`,
  )
}

function settings() {
  try {
    return readConfig().access
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

/** The option that a claim comes from. */
const OPTIONS: Readonly<Record<string, string>> = {
  sub: '--subject',
  name: '--name',
  kind: '--kind',
  role: '--role',
  threads: '--thread',
  exp: '--expires',
}

function seconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const value = Number(count) * (UNITS[unit] ?? 0)
  if (value > 0) return value
  throw usageError(`--expires is a number with m, h or d, such as 30d, not ${JSON.stringify(text)}.`)
}
