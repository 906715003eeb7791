import type { Identity } from '../model/identity.ts'
import { TokenForm } from './settings.tsx'

interface NoAccessProps {
  readonly hasToken: boolean
  /** What the server says is wrong. */
  readonly why: string
  readonly onIdentity: (identity: Identity) => void
}

/** The server wants to know who one is: what is wrong, and what to do. */
export function NoAccess({ hasToken, why, onIdentity }: NoAccessProps) {
  return (
    <>
      <p>
        <strong>The server wants to know who you are.</strong>{' '}
        {hasToken
          ? `Your token is not good here: ${why}. Bring another one, or ask for one again where you got it.`
          : 'Plans are shown here to those who have a token. Bring yours, or ask whoever runs the server for one.'}
      </p>
      <TokenForm onIdentity={onIdentity} />
    </>
  )
}
