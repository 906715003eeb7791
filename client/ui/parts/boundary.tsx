import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  /** What is inside, as people call it. */
  readonly what: string
  readonly children: ReactNode
}
interface BoundaryState {
  readonly error: Error | null
  /** Grows with each new try. */
  readonly tries: number
}

/** What fails inside is said in its place, and leaves the rest of the page usable. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { error: null, tries: 0 }

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error instanceof Error ? error : new Error('It failed without a reason.') }
  }

  override render(): ReactNode {
    const { what, children } = this.props
    const { error, tries } = this.state
    if (error === null) return <Keyed key={tries}>{children}</Keyed>
    return (
      <section className="broken" role="alert">
        <p>
          <strong>{what} cannot be shown.</strong> The rest of the page works on, and nothing of the plan is lost.
        </p>
        <p className="hint">
          <code>{error.message}</code>
        </p>
        <button type="button" onClick={() => this.setState({ error: null, tries: tries + 1 })}>
          Try again
        </button>
      </section>
    )
  }
}

const Keyed = ({ children }: { readonly children: ReactNode }): ReactNode => children
