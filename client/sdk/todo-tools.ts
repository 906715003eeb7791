import { checklist } from '../../shared/dialects/checklist.ts'
import type { BaseDefinition } from '../../shared/dialects/schemas.ts'
import { baseDefinition } from '../../shared/dialects/schemas.ts'
import type { Tool } from '../../shared/dialects/dialect.ts'
import { checklistTool, TodoList } from './todo-list.ts'

/** A tool to hand to a model: name, description and parameters (JSON Schema), and what runs it. */
export interface TodoTool extends BaseDefinition {
  /** @param args as the model gave them @returns what the model should be shown */
  readonly execute: (args?: unknown) => Promise<string>
}

/** write_todos alone: the published `make_todo_tool`. Its options are those of `makeTodoTools`. */
export function makeTodoTool(list = new TodoList(), agentName = ''): TodoTool {
  return todoTool(checklistTool('write_todos'), list, agentName)
}

/**
 * write_todos and read_todos over one list.
 * @param list by default one of their own
 * @param agentName put down as who wrote what
 */
export function makeTodoTools(list = new TodoList(), agentName = ''): TodoTool[] {
  return checklist.tools.map((tool) => todoTool(tool, list, agentName))
}

const todoTool = (tool: Tool, list: TodoList, agentName: string): TodoTool => ({
  ...baseDefinition(tool),
  execute: async (args: unknown = {}) => list.call(tool.name, args, agentName).text,
})
