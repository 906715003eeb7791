import { type SubmitEvent, useState } from 'react'
import { MAX_TITLE } from '../../../shared/schema/limits.ts'
import { ApiError, createThread } from '../model/api.ts'
import { besides, goTo, pathOf, threadIdFor } from '../model/path.ts'
import { Link } from './link.tsx'

interface Existing {
  readonly thread: string
  readonly title: string
}

/** Any title will do; the id of the plan is made from it. */
export function NewPlan({ token, name }: { readonly token: string | null; readonly name: string }) {
  const [wanted, setWanted] = useState('')
  const [existing, setExisting] = useState<Existing | null>(null)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const title = wanted.trim()

  const create = async (thread: string): Promise<void> => {
    setBusy(true)
    setExisting(null)
    setProblem('')
    try {
      const made = await createThread(token, { thread, title, name })
      if (made.isNew) return goTo(pathOf(thread))
      setExisting({ thread, title: made.title })
    } catch (error) {
      // The id of a deleted plan is not given again, and nobody has to know that it was there.
      if (error instanceof ApiError && error.status === 409) return await create(besides(thread))
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (title === '') setProblem('Give the plan a title.')
    else void create(threadIdFor(title))
  }

  return (
    <>
      <form className="new-thread" onSubmit={submit}>
        <label>
          <span className="unseen">Title of a new plan</span>
          <input
            value={wanted}
            placeholder="Title of a new plan"
            autoComplete="off"
            dir="auto"
            maxLength={MAX_TITLE}
            onChange={(event) => {
              setWanted(event.target.value)
              setExisting(null)
              setProblem('')
            }}
          />
        </label>
        <button type="submit" className="primary" disabled={isBusy}>
          Create
        </button>
      </form>
      {problem !== '' && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      {existing !== null && (
        <section className="problem" role="alert" aria-label="A plan that exists">
          <p>
            There is a plan <bdi>“{existing.title || existing.thread}”</bdi> already, with the id{' '}
            <code>{existing.thread}</code>. Nothing was made.
          </p>
          <div className="buttons">
            <Link to={pathOf(existing.thread)} className="button primary">
              Open it
            </Link>
            <button type="button" onClick={() => void create(besides(existing.thread))}>
              Make another one
            </button>
          </div>
        </section>
      )}
    </>
  )
}
