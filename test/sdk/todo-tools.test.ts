import { describe, expect, test } from 'vitest'
import { TaskPlanner } from '../../client/sdk/task-planner.ts'
import { TodoList } from '../../client/sdk/todo-list.ts'
import { makeTodoTool, makeTodoTools } from '../../client/sdk/todo-tools.ts'

const todo = (content: string, status = 'pending') => ({ content, status })

function listOf(...items: { content: string; status: string }[]): TodoList {
  const list = new TodoList()
  list.update(items)
  return list
}

describe('[O21] makeTodoTools', () => {
  test('gives write_todos and read_todos, with what a model needs', () => {
    const tools = makeTodoTools()
    expect(tools.map(({ name }) => name)).toEqual(['write_todos', 'read_todos'])
    expect(tools[0]?.parameters).toMatchObject({
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string' },
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'blocked'] },
              description: { type: 'string' },
              required: { type: 'boolean' },
              id: { type: 'string' },
            },
            required: ['content', 'status'],
          },
        },
        rev: { type: 'integer' },
      },
      required: ['todos'],
    })
    expect(JSON.stringify(tools.map(({ parameters }) => parameters))).not.toMatch(/anyOf|\$|minimum|default/)
  })

  test('both work on one list, and another call has another', async () => {
    const [write, read] = makeTodoTools(undefined, 'tester')
    const [, otherRead] = makeTodoTools()
    expect(await write?.execute({ todos: JSON.stringify([todo('a')]) })).toBe(
      'Updated todo list v1: 0/1 completed\n  + a [pending]',
    )
    expect(JSON.parse((await read?.execute()) ?? '')).toMatchObject([{ content: 'a', updated_by: 'tester' }])
    expect(await otherRead?.execute({})).toBe('[]')
    expect(await write?.execute({ todos: 'not json' })).toBe('Error: todos must be a valid JSON array')
  })

  test('take a list that is there, and replace it', async () => {
    const list = listOf(todo('before'))
    const [write] = makeTodoTools(list, 'tester')
    await write?.execute({ todos: [todo('after')] })
    expect(list.todos).toMatchObject([{ content: 'after', updated_by: 'tester' }])
    expect(list.version).toBe(2)
  })
})

test('[O21] makeTodoTool is the published make_todo_tool: write_todos over a list that a planner shares', async () => {
  const list = new TodoList()
  const tool = makeTodoTool(list, 'tester')
  expect(tool.name).toBe('write_todos')
  await tool.execute({ todos: [todo('a')] })
  expect(list.todos).toMatchObject([{ content: 'a', updated_by: 'tester' }])
  expect(new TaskPlanner({ todoList: list }).hasPendingTasks()).toBe(true)
})

describe('TaskPlanner', () => {
  test('[O22] without a list, or with an empty one, it has nothing to say', () => {
    for (const planner of [new TaskPlanner(), new TaskPlanner({ todoList: new TodoList() })]) {
      expect(planner.buildPlanningInstruction()).toBe(null)
      expect(planner.hasPendingTasks({})).toBe(false)
    }
  })

  test('[O23] it tells of both tasks', () => {
    const planner = new TaskPlanner({ todoList: listOf(todo('first', 'completed'), todo('second')) })
    const text = planner.buildPlanningInstruction()
    expect(text).toContain('first')
    expect(text).toContain('second')
    expect(text).toContain('1/2 completed')
    expect(planner.hasPendingTasks()).toBe(true)
  })

  test('[O24] all done', () => {
    expect(new TaskPlanner({ todoList: listOf(todo('a', 'completed')) }).hasPendingTasks()).toBe(false)
  })

  test('[O25] tasks to begin with are put in at the first question, once, by nobody', () => {
    const list = new TodoList()
    const planner = new TaskPlanner({
      todoList: list,
      tasks: [{ title: 'Research' }, { content: 'Write', status: 'in_progress' }],
    })
    expect(list.version).toBe(0)
    expect(planner.buildPlanningInstruction()).toBe(
      'Current tasks (v1):\n  t1 [pending] Research\n  t2 [in_progress] Write\n\nProgress: 0/2 completed.',
    )
    expect(planner.hasPendingTasks()).toBe(true)
    list.update([])
    expect(planner.hasPendingTasks()).toBe(false)
    expect(list.version).toBe(2)
  })

  test('[O26] not into a list that holds something', () => {
    const list = listOf(todo('there'))
    const planner = new TaskPlanner({ todoList: list, tasks: [{ title: 'seed' }] })
    expect(planner.hasPendingTasks()).toBe(true)
    expect(list.todos.map(({ content }) => content)).toEqual(['there'])
  })

  test('[O27] a list that is bound later', () => {
    const planner = new TaskPlanner({ tasks: [{ title: 'seed' }] })
    expect(planner.hasPendingTasks()).toBe(false)
    const list = new TodoList()
    planner.setTodoList(list)
    expect(planner.hasPendingTasks()).toBe(true)
    expect(list.todos.map(({ content }) => content)).toEqual(['seed'])
  })
})
