import type { Dialect, Tool } from './dialect.ts'
import { checklist } from './checklist.ts'
import { outline } from './outline.ts'
import { tasks } from './tasks.ts'

/** Every dialect, by its name. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  [outline, tasks, checklist].map((dialect) => [dialect.name, dialect]),
)

export interface NamedTool {
  readonly dialect: Dialect
  readonly tool: Tool
}

/** Every tool, by its name; the names of all dialects differ. */
export const TOOLS: ReadonlyMap<string, NamedTool> = new Map(
  [...DIALECTS.values()].flatMap((dialect) => dialect.tools.map((tool) => [tool.name, { dialect, tool }] as const)),
)
