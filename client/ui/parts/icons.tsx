import type { Status } from '../../sdk/index.ts'
import { STATUS_NAMES } from '../model/statuses.ts'

const PATHS = {
  chevron: 'm6 4 4 4-4 4',
  plus: 'M8 3.5v9M3.5 8h9',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 13.5 13.5',
  funnel: 'M2.5 3.5h11L9.5 8.5v4l-3 1v-5z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  board: 'M2.5 3h3v10h-3zM6.8 3h3v6.5h-3zM11 3h2.5v8H11z',
  both: 'M2.5 3h11v10h-11zM7.5 3v10',
  bell: 'M4 7a4 4 0 0 1 8 0c0 3.5 1.5 4.5 1.5 4.5h-11S4 10.5 4 7ZM6.7 13.5a1.5 1.5 0 0 0 2.6 0',
  command:
    'M6 6h4v4H6zM6 6H4.5A1.5 1.5 0 1 1 6 4.5V6ZM10 6V4.5A1.5 1.5 0 1 1 11.5 6H10ZM10 10h1.5a1.5 1.5 0 1 1-1.5 1.5V10ZM6 10v1.5A1.5 1.5 0 1 1 4.5 10H6Z',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H7',
  redo: 'm10.5 3 3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H9',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1A3 3 0 0 1 3.5 8l1-1',
  group: 'M2.5 5.5a1 1 0 0 1 1-1h3l1.5 1.5h4.5a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z',
  note: 'M4 5h8M4 8h8M4 11h5',
  settings:
    'M2.5 4.5h7M12.5 4.5h1M2.5 11.5h1M6.5 11.5h7M9.5 4.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0ZM3.5 11.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0Z',
  close: 'm4 4 8 8M12 4l-8 8',
  help: 'M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.7-.8 1.4M8 11.8h.01',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  side: 'M2.5 3h11v10h-11zM10 3v10',
} as const
export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** A shape and a colour for each status: either is enough to tell them apart. */
export function StatusShape({ status, label = true }: { readonly status: Status; readonly label?: boolean }) {
  const words = label ? { role: 'img', 'aria-label': STATUS_NAMES[status] } : { 'aria-hidden': true }
  return (
    <svg className={`shape ${status}`} viewBox="0 0 16 16" {...words}>
      {status === 'completed' && <circle className="fill" cx="8" cy="8" r="7" />}
      {status !== 'completed' && status !== 'blocked' && <circle className="line" cx="8" cy="8" r="6" />}
      {status === 'completed' && <path className="mark" d="m4.8 8.2 2.2 2.2 4.2-4.6" />}
      {status === 'in_progress' && <path className="fill" d="M8 4.3a3.7 3.7 0 0 1 0 7.4z" />}
      {status === 'cancelled' && <path className="line" d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" />}
      {status === 'blocked' && <path className="fill" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" />}
      {status === 'blocked' && <path className="mark" d="M8 4.5v4.2M8 11.3h.01" />}
    </svg>
  )
}
