import { createContext, use } from 'react'
import type { Deeds } from '../model/deeds.ts'
import type { Session } from '../model/session.ts'

export interface AtWork {
  readonly session: Session
  readonly deeds: Deeds
}

export const SessionContext = createContext<AtWork | null>(null)

export function useWork(): AtWork {
  const work = use(SessionContext)
  if (work === null) throw new Error('This belongs inside of a plan.')
  return work
}
