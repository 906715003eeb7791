import { openAccess } from '../../server/auth/access.ts'
import { createDoors } from '../../server/auth/doors.ts'
import { createLimits } from '../../server/transports/limits/limits.ts'

/** For what is tested with nobody at the door. */
export const OPEN = {
  access: openAccess,
  doors: createDoors({ hosts: null, origins: [], trustsLoopback: true }),
  publicUrl: null,
  authServers: [],
  limits: createLimits(),
} as const
