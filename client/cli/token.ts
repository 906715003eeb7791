import { parseArgs } from 'node:util'
import { Claims } from '../../server/auth/claims.ts'
import { signToken } from '../../server/auth/tokens.ts'
import { readConfig } from '../../server/config.ts'

const USAGE = `Usage: npm run --silent token -- --name <name> [--role viewer|editor|admin] [--thread <pattern>]...
                                  [--kind agent|human] [--expires 30d] [--subject <id>]

Prints a token that is signed with PLANROOM_SECRET, and on the error output how to revoke it.

  --name     who it is for, as others see it
  --role     viewer: follow; editor (the default): change as well; admin: delete and revoke as well
  --thread   threads it is good for, such as 'demo-*'; may be repeated; all if it is left out
  --kind     agent (the default) or human
  --expires  how long it is good for: a number with m, h or d (the default is 30d, or as much as the server takes)
  --subject  the id of the actor, where names may repeat; the name if it is left out`

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      subject: { type: 'string' },
      kind: { type: 'string' },
      role: { type: 'string', default: 'editor' },
      thread: { type: 'string', multiple: true, default: ['*'] },
      expires: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.error(USAGE)
  const { secret, audience, issuer, maxLifeMs } = readConfig().access
  if (secret === null) {
    throw new Error("PLANROOM_SECRET is not set. Give it the server's, such as one that `openssl rand -hex 32` makes.")
  }
  const { name = '', subject = name, kind, role, thread: threads, expires } = values
  const life = Math.min(maxLifeMs / 1_000, seconds(expires ?? '30d'))
  if (expires !== undefined && life < seconds(expires)) {
    throw new Error(`--expires is longer than servers take: ${maxLifeMs / 86_400_000}d (PLANROOM_MAX_TOKEN_DAYS).`)
  }
  const issuedAt = Math.floor(Date.now() / 1_000)
  const wished = { sub: subject, name, kind, role, threads, exp: issuedAt + life }
  const parsed = Claims.safeParse(wished)
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map(({ path, message }) => `${OPTIONS[String(path[0])]} ${message}.`).join('\n'),
    )
  }
  const { token, tokenId } = await signToken(secret, { claims: parsed.data, audience, issuer, issuedAt })
  console.log(token)
  const until = new Date(parsed.data.exp * 1_000).toISOString()
  console.error(
    `For ${subject}, ${role} of ${threads.join(', ')}, until ${until}. To revoke it: {"tokenId": "${tokenId}"}`,
  )
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
  throw new Error(`--expires is a number with m, h or d, such as 30d, not ${JSON.stringify(text)}.`)
}

main().catch((error: unknown) => {
  console.error(`planroom: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  process.exitCode = 1
})
