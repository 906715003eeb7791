import type { CommandSpec } from './command.ts'
import { dataCommands } from './specs-data.ts'
import { planCommands } from './specs-plan.ts'
import { serverCommands } from './specs-server.ts'

/** Every command, in the order in which help tells of them. */
export const COMMANDS: readonly CommandSpec[] = [...serverCommands, ...planCommands, ...dataCommands]

export const findCommand = (name: string): CommandSpec | undefined => COMMANDS.find((command) => command.name === name)
