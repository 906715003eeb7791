import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import type { ToolReply } from '../../../shared/dialects/call.ts'
import type { Dialect, JsonObject } from '../../../shared/dialects/dialect.ts'
import { baseDefinition } from '../../../shared/dialects/schemas.ts'
import { outputOf } from './outputs.ts'

/** A dialect's tools as clients list them: in their order, the same for everybody. Build it once, it is not cheap. */
export function listedTools(dialect: Dialect): McpTool[] {
  return dialect.tools.map((tool) => {
    const { name, description, parameters } = baseDefinition(tool)
    const { readOnly, destructive, idempotent } = tool.effects
    return {
      name,
      title: tool.title,
      description,
      // Every schema of a tool's parameters is an object's.
      inputSchema: parameters as McpTool['inputSchema'],
      outputSchema: outputOf(dialect, tool),
      annotations: {
        title: tool.title,
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: false,
      },
    }
  })
}

/**
 * A reply as a result. Some hosts show a model the text and some only the structure, so each says everything, once; a
 * refusal is text alone, for a structure would have to fit the schema of a success.
 */
export function toolResult({ success, text }: ToolReply): CallToolResult {
  return success
    ? { content: [{ type: 'text', text }], structuredContent: structureOf(text) }
    : { content: [{ type: 'text', text }], isError: true }
}

/** What the text is when it is an object, and otherwise an object that holds the text. */
function structureOf(text: string): JsonObject {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as JsonObject // begins with a brace: if it parses, it is an object
    } catch {
      // a text that happens to begin like one
    }
  }
  return { result: text }
}

/** A call that was not answered, for whoever repeats it. */
export const failedResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })
