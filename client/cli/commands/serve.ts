import { readConfig } from '../../../server/config.ts'
import { type Call, usageError } from '../command.ts'

/** Options stand for settings of the environment, which the server reads at its start. */
const SETTINGS = { port: 'PORT', host: 'HOST', data: 'PLANROOM_DATA_DIR' } as const

export async function run(call: Call): Promise<number> {
  for (const [option, variable] of Object.entries(SETTINGS)) {
    const value = call.text(option)
    if (value !== undefined) process.env[variable] = value
  }
  try {
    readConfig()
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
  await import('../../../server/main.ts')
  // It ends the process by itself.
  return new Promise(() => {})
}
