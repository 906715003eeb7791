import { useEffect } from 'react'
import { Link } from './link.tsx'

/** An address at which nothing is. @param thread what stands in the place of a plan's id, if that is what is wrong */
export function Nowhere({ thread }: { readonly thread: string | null }) {
  useEffect(() => {
    document.title = 'Nothing here · Planroom'
  }, [])
  return (
    <main className="home nowhere">
      <h1>
        <img src="/favicon.svg" alt="" width="28" height="28" /> Nothing is here
      </h1>
      {thread === null ? (
        <p>
          No page has the address <code dir="auto">{location.pathname}</code>. A plan has one such as{' '}
          <code>/t/summer-trip</code>.
        </p>
      ) : (
        <p>
          No plan can have the id <code dir="auto">{thread}</code>: an id has 1 to 128 characters of A–Z a–z 0–9 . _ ~ -
          and begins with no dot. Perhaps the address was copied in part.
        </p>
      )}
      <Link to="/" className="button primary">
        All plans, and a new one
      </Link>
    </main>
  )
}
