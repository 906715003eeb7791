import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Call } from './tasks-cases.ts'
import {
  add,
  cancel,
  clean,
  complete,
  edit,
  errorOf,
  groupsOf,
  list,
  nagsOf,
  remove,
  start,
  verify,
} from './tasks-cases.ts'
import { openTasks } from './tasks-driver.ts'

interface Task {
  readonly number: number
  description: string
  status: string
  /** A dependency is bound to a task once one has that number; it stays so when that task is removed. */
  depends: { name: string; bound: boolean }[]
}
interface Group {
  readonly title: string
  items: Task[]
  verified: boolean
}
type Result = { readonly nags: readonly string[] } | { readonly error: string }

/** The published semantics, written down a second time and in another way: lists in lists, names for references. */
class Model {
  groups: Group[] = []

  get tasks(): Task[] {
    return this.groups.flatMap(({ items }) => items)
  }
  find = (name: string): Task | undefined => this.tasks.find(({ number }) => `task-${number}` === name)
  isReserved = (number: number): boolean =>
    this.find(`task-${number}`) === undefined &&
    this.tasks.some(({ depends }) => depends.some(({ name, bound }) => bound && name === `task-${number}`))

  group(title: string): Group {
    let group = this.groups.find((one) => one.title === title)
    if (group === undefined) this.groups.push((group = { title, items: [], verified: false }))
    return group
  }

  read(names: readonly string[]): Task['depends'] {
    return [...new Set(names)].map((name) => ({
      name,
      bound: this.find(name) !== undefined || this.isReserved(Number(name.replace('task-', ''))),
    }))
  }

  add(title: string, description: string, names: readonly string[]): Result {
    if (description.trim() === '') return { error: 'Description must be non-empty text.' }
    const depends = this.read(names)
    let number = Math.max(0, ...this.tasks.map((task) => task.number)) + 1
    while (this.isReserved(number) || depends.some((one) => one.bound && one.name === `task-${number}`)) number++
    const nags = depends.flatMap(({ name }) => {
      if (name === `task-${number}`) return [`Dependency '${name}' is a self-reference.`]
      return this.find(name) === undefined ? [`Dependency '${name}' does not exist in the task list.`] : []
    })
    this.group(title).items.push({ number, description, status: 'Pending', depends })
    for (const task of this.tasks) for (const one of task.depends) if (one.name === `task-${number}`) one.bound = true
    return { nags }
  }

  start(name: string): Result {
    const task = this.find(name)
    if (task === undefined) return unknown(name)
    const others = this.tasks.filter((one) => one !== task && one.status === 'InProgress')
    if (others.length > 0)
      return {
        error: `Only one task at a time can be InProgress. Complete or cancel 'task-${others[0]?.number}' first before starting '${name}'.`,
      }
    task.status = 'InProgress'
    const nags = task.depends.flatMap((one) => {
      const target = this.find(one.name)
      if (target === undefined) return [`'${name}' depends on '${one.name}' which no longer exists.`]
      return target.status === 'Completed'
        ? []
        : [`'${name}' depends on '${one.name}' which is still ${target.status}.`]
    })
    return { nags }
  }

  remove(name: string): Result {
    const task = this.find(name)
    if (task === undefined) return unknown(name)
    for (const group of this.groups) group.items = group.items.filter((one) => one !== task)
    const names = this.tasks
      .filter(({ depends }) => depends.some((one) => one.name === name))
      .map(({ number }) => `'task-${number}'`)
    const last = names.pop()
    if (last === undefined) return { nags: [] }
    const told = names.length === 0 ? last : `${names.join(', ')}${names.length > 1 ? ',' : ''} and ${last}`
    return { nags: [`'${name}' was removed but is still referenced as a dependency by ${told}.`] }
  }

  clean(keepPending: boolean): Result {
    let dropped = 0
    for (const group of this.groups) {
      const kept = group.items.filter(({ status }) => status === 'InProgress' || (keepPending && status === 'Pending'))
      dropped += group.items.length - kept.length
      group.items = kept
    }
    const empty = this.groups.filter(({ items }) => items.length === 0).length
    this.groups = this.groups.filter(({ items }) => items.length > 0)
    return {
      nags: [
        ...(dropped > 0 ? [`Removed ${dropped} completed or cancelled tasks.`] : []),
        ...(empty > 0 ? [`Removed ${empty} empty group${empty === 1 ? '' : 's'}.`] : []),
      ],
    }
  }

  verify(title: string): Result {
    const group = this.groups.find((one) => one.title === title)
    if (group === undefined) return { error: `Group '${title}' does not exist.` }
    group.verified = true
    const isOpen = group.items.some(({ status }) => status === 'Pending' || status === 'InProgress')
    return { nags: isOpen ? [`Group '${title}' still has pending or in-progress tasks.`] : [] }
  }

  edit(name: string, description?: string, title?: string, names?: readonly string[]): Result {
    const task = this.find(name)
    if (task === undefined) return unknown(name)
    if (description !== undefined && description.trim() === '') return { error: 'Description must be non-empty text.' }
    let nags: string[] = []
    if (names !== undefined) {
      const depends = this.read(names)
      nags = depends.flatMap((one) => {
        if (one.name === name) return [`Dependency '${name}' is a self-reference.`]
        if (this.find(one.name) === undefined) return [`Dependency '${one.name}' does not exist in the task list.`]
        return this.reaches(one.name, name)
          ? [`Dependency '${one.name}' would create a circular dependency chain.`]
          : []
      })
      task.depends = depends
    }
    if (description !== undefined) task.description = description
    const source = this.groups.find(({ items }) => items.includes(task))
    if (title !== undefined && title !== source?.title) {
      const target = this.group(title)
      if (source !== undefined) source.items = source.items.filter((one) => one !== task)
      target.items.push(task)
    }
    return { nags }
  }

  reaches(from: string, to: string, passed = new Set<string>()): boolean {
    if (from === to) return true
    if (passed.has(from)) return false
    passed.add(from)
    return this.find(from)?.depends.some(({ name }) => this.reaches(name, to, passed)) === true
  }

  crossOff(name: string, status: 'Completed' | 'Cancelled'): Result {
    const task = this.find(name)
    if (task === undefined) return unknown(name)
    if (task.status === 'Completed' || task.status === 'Cancelled')
      return { error: `Task '${name}' is already ${task.status.toLowerCase()}.` }
    task.status = status
    const waiting = this.tasks.filter(
      (one) => ['Pending', 'InProgress'].includes(one.status) && one.depends.some((awaited) => awaited.name === name),
    )
    return { nags: waiting.map(({ number }) => `'task-${number}' depends on '${name}' which is now ${status}.`) }
  }

  list(): Result {
    const done = this.groups.filter(
      ({ items, verified }) =>
        !verified && items.length > 0 && items.every(({ status }) => status === 'Completed' || status === 'Cancelled'),
    )
    return {
      nags: done.map(
        ({ title }) =>
          `Group '${title}' is complete but tests have not been confirmed. Use VerifyGroup to confirm tests passed.`,
      ),
    }
  }

  lines(): string[] {
    return this.groups.map(({ title, items, verified }) => {
      const tasks = items.map(({ number, status, description, depends }) => {
        const awaited = depends.length === 0 ? '' : ` <${depends.map(({ name }) => name).join(' ')}>`
        return `task-${number} ${status} ${description}${awaited}`
      })
      return `${title}${verified ? ' (verified)' : ''}: ${tasks.join(', ')}`
    })
  }
}

const unknown = (name: string): Result => ({ error: `Task '${name}' does not exist. Use List to see available tasks.` })

/** A call, and what the model does for it. */
interface Move {
  readonly call: Call
  readonly model: (model: Model) => Result
}

const name = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 7 }).map((n) => `task-${n}`) },
  fc.constant('ghost'),
)
const names = fc.array(name, { maxLength: 3 })
const title = fc.constantFrom('a', 'b', 'c')
const text = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('one', 'two', 'three') }, fc.constant(' '))
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const adding = fc.tuple(title, text, names).map(([group, description, depends]): Move => ({
  call: add(group, description, ...depends),
  model: (model) => model.add(group, description, depends),
}))
const editing = fc
  .tuple(name, maybe(text), maybe(title), maybe(names))
  .map(([id, description, group, depends]): Move => ({
    call: edit(id, { description: description ?? null, group: group ?? null, depends_on: depends ?? null }),
    model: (model) => model.edit(id, description, group, depends),
  }))
const move = fc.oneof(
  { weight: 5, arbitrary: adding },
  { weight: 3, arbitrary: editing },
  { weight: 2, arbitrary: name.map((id): Move => ({ call: start(id), model: (model) => model.start(id) })) },
  { weight: 2, arbitrary: name.map((id): Move => ({ call: remove(id), model: (model) => model.remove(id) })) },
  { weight: 3, arbitrary: name.map((id): Move => ({ call: complete(id), model: (m) => m.crossOff(id, 'Completed') })) },
  { weight: 1, arbitrary: name.map((id): Move => ({ call: cancel(id), model: (m) => m.crossOff(id, 'Cancelled') })) },
  { weight: 1, arbitrary: title.map((group): Move => ({ call: verify(group), model: (m) => m.verify(group) })) },
  { weight: 1, arbitrary: fc.boolean().map((keep): Move => ({ call: clean(keep), model: (m) => m.clean(keep) })) },
)

test('one agent alone sees exactly what the published tools do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 5, maxLength: 40 }),
      fc.constantFrom('', 'agent-a'),
      async (moves, who) => {
        const plan = openTasks()
        const model = new Model()
        for (const { call, model: play } of moves) {
          const reply = await plan.call(call[0], call[1], who)
          const expected = play(model)
          if ('error' in expected) expect(errorOf(reply)).toBe(expected.error)
          else {
            expect(nagsOf(reply)).toEqual(expected.nags)
            expect(groupsOf(reply)).toEqual(model.lines())
          }
          const shown = await plan.call(list()[0], list()[1], who)
          expect(groupsOf(shown)).toEqual(model.lines())
          expect({ nags: nagsOf(shown) }).toEqual(model.list())
        }
      },
    ),
    { numRuns: 300 },
  )
})
