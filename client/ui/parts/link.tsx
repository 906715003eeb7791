import type { MouseEvent, ReactNode } from 'react'
import { goTo } from '../model/path.ts'

interface LinkProps {
  readonly to: string
  readonly className?: string
  readonly label?: string
  readonly children: ReactNode
}

/** A link within the page; with a key held it does what links do. */
export function Link({ to, className, label, children }: LinkProps) {
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    goTo(to)
  }
  return (
    <a href={to} className={className} aria-label={label} onClick={onClick}>
      {children}
    </a>
  )
}
