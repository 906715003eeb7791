interface Task {
  readonly number: number
  description: string
  status: string
  /** Told by name; a name holds on to a task once there was one of that name. */
  depends: Map<string, { isBound: boolean }>
}
interface TaskGroup {
  readonly title: string
  items: Task[]
  isVerified: boolean
}
interface Nag {
  readonly message: string
}
/** An error, or what is printed before the version. */
export type Said = string | object

const BLANK = 'Description must be non-empty text.'
const MARKS: Readonly<Record<string, string>> = { Pending: ' ', InProgress: '*', Completed: 'x', Cancelled: '-' }
const nameOf = ({ number }: Task): string => `task-${number}`
const unknown = (name: string): string => `Task '${name}' does not exist. Use List to see available tasks.`
const isOpen = ({ status }: Task): boolean => status === 'Pending' || status === 'InProgress'
const nags = (messages: readonly string[]): Nag[] => messages.map((message) => ({ message }))

function inWords(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  if (quoted.length < 3) return quoted.join(' and ')
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`
}

/** The published module, as its pages tell it: groups of tasks, found by name. */
export class Tasks {
  groups: TaskGroup[] = []

  #all(): Task[] {
    return this.groups.flatMap(({ items }) => items)
  }
  #find(name: string): Task | undefined {
    return this.#all().find((task) => nameOf(task) === name)
  }
  #held(name: string): boolean {
    return this.#all().some(({ depends }) => depends.get(name)?.isBound === true)
  }
  #group(title: string): TaskGroup {
    const found = this.groups.find((group) => group.title === title)
    if (found !== undefined) return found
    const made: TaskGroup = { title, items: [], isVerified: false }
    this.groups.push(made)
    return made
  }
  #bind(names: readonly string[]): Task['depends'] {
    return new Map(names.map((name) => [name, { isBound: this.#find(name) !== undefined || this.#held(name) }]))
  }
  #put(title: string, task: Task): void {
    this.#group(title).items.push(task)
    for (const { depends } of this.#all()) {
      const named = depends.get(nameOf(task))
      if (named !== undefined) named.isBound = true
    }
  }
  #print(items: readonly Task[]): object[] {
    return items.map((task) => ({
      id: nameOf(task),
      description: task.description,
      status: task.status,
      depends_on: [...task.depends.keys()],
    }))
  }
  #printAll(keep: (task: Task) => boolean = () => true, title: string | null = null): object[] {
    return this.groups
      .filter((group) => title === null || group.title === title)
      .map((group) => ({
        title: group.title,
        items: this.#print(group.items.filter(keep)),
        tests_verified: group.isVerified,
      }))
  }
  #done(messages: readonly string[] = []): object {
    return { list: { groups: this.#printAll() }, nags: nags(messages) }
  }
  text(): string {
    return JSON.stringify(this.#printAll())
  }

  add(title: string, description: string, names: readonly string[]): Said {
    if (description.trim() === '') return BLANK
    const depends = this.#bind(names)
    let number = Math.max(0, ...this.#all().map((task) => task.number)) + 1
    const isTaken = (name: string) => this.#held(name) || depends.get(name)?.isBound === true
    while (isTaken(`task-${number}`)) number++
    const id = `task-${number}`
    const told = [...depends.keys()].flatMap((name) => {
      if (name === id) return [`Dependency '${name}' is a self-reference.`]
      return this.#find(name) === undefined ? [`Dependency '${name}' does not exist in the task list.`] : []
    })
    this.#put(title, { number, description, status: 'Pending', depends })
    return this.#done(told)
  }

  start(name: string): Said {
    const task = this.#find(name)
    if (task === undefined) return unknown(name)
    const others = this.#all().filter((one) => one !== task && one.status === 'InProgress')
    if (others.length > 0)
      return `Only one task at a time can be InProgress. Complete or cancel ${inWords(others.map(nameOf))} first before starting '${name}'.`
    task.status = 'InProgress'
    return this.#done(
      [...task.depends.keys()].flatMap((other) => {
        const status = this.#find(other)?.status
        if (status === 'Completed') return []
        return [
          `'${name}' depends on '${other}' which ${status === undefined ? 'no longer exists' : `is still ${status}`}.`,
        ]
      }),
    )
  }

  remove(name: string): Said {
    const task = this.#find(name)
    if (task === undefined) return unknown(name)
    for (const group of this.groups) group.items = group.items.filter((one) => one !== task)
    const waiting = this.#all().filter(({ depends }) => depends.has(name))
    if (waiting.length === 0) return this.#done()
    return this.#done([
      `'${name}' was removed but is still referenced as a dependency by ${inWords(waiting.map(nameOf))}.`,
    ])
  }

  clean(keepPending: boolean): Said {
    const before = this.#all().length
    for (const group of this.groups)
      group.items = group.items.filter(({ status }) => status === 'InProgress' || (keepPending && status === 'Pending'))
    const dropped = before - this.#all().length
    const groups = this.groups.length
    this.groups = this.groups.filter(({ items }) => items.length > 0)
    const empty = groups - this.groups.length
    const told = []
    if (dropped > 0) told.push(`Removed ${dropped} completed or cancelled tasks.`)
    if (empty > 0) told.push(`Removed ${empty} empty group${empty === 1 ? '' : 's'}.`)
    return this.#done(told)
  }

  verify(title: string): Said {
    const group = this.groups.find((one) => one.title === title)
    if (group === undefined) return `Group '${title}' does not exist.`
    group.isVerified = true
    return this.#done(group.items.some(isOpen) ? [`Group '${title}' still has pending or in-progress tasks.`] : [])
  }

  #reaches(from: string, to: string, passed: Set<string>): boolean {
    if (from === to) return true
    if (passed.has(from)) return false
    passed.add(from)
    return [...(this.#find(from)?.depends.keys() ?? [])].some((next) => this.#reaches(next, to, passed))
  }

  edit(name: string, text: string | null, title: string | null, names: readonly string[] | null): Said {
    const task = this.#find(name)
    if (task === undefined) return unknown(name)
    if (text?.trim() === '') return BLANK
    const told: string[] = []
    for (const other of new Set(names ?? [])) {
      if (other === name) told.push(`Dependency '${other}' is a self-reference.`)
      else if (this.#find(other) === undefined) told.push(`Dependency '${other}' does not exist in the task list.`)
      else if (this.#reaches(other, name, new Set()))
        told.push(`Dependency '${other}' would create a circular dependency chain.`)
    }
    if (names !== null) task.depends = this.#bind(names)
    if (text !== null) task.description = text
    const source = this.groups.find(({ items }) => items.includes(task))
    if (title !== null && source !== undefined && source.title !== title) {
      source.items = source.items.filter((one) => one !== task)
      this.#group(title).items.push(task)
    }
    return this.#done(told)
  }

  crossOff(name: string, status: 'Completed' | 'Cancelled'): Said {
    const task = this.#find(name)
    if (task === undefined) return unknown(name)
    if (!isOpen(task)) return `Task '${name}' is already ${task.status.toLowerCase()}.`
    task.status = status
    const waiting = this.#all().filter((one) => isOpen(one) && one.depends.has(name))
    return this.#done(waiting.map((one) => `'${nameOf(one)}' depends on '${name}' which is now ${status}.`))
  }

  list(title: string | null, status: string | null): Said {
    const complete = this.groups.filter((group) => group.items.length > 0 && !group.items.some(isOpen))
    return {
      groups: this.#printAll((task) => status === null || task.status === status, title),
      nags: nags(
        complete
          .filter((group) => !group.isVerified)
          .map(
            (group) =>
              `Group '${group.title}' is complete but tests have not been confirmed. Use VerifyGroup to confirm tests passed.`,
          ),
      ),
    }
  }

  get(name: string): Said {
    const group = this.groups.find(({ items }) => items.some((task) => nameOf(task) === name))
    if (group === undefined) return `Task '${name}' not found.`
    return { groups: this.#printAll((task) => nameOf(task) === name, group.title), nags: [] }
  }

  load(
    groups: readonly { title: string; items: readonly { text: string; isDone: boolean; depends: string[] }[] }[],
  ): Said {
    this.groups = []
    let number = 0
    for (const { title, items } of groups) {
      this.#group(title)
      for (const { text, isDone, depends } of items)
        this.#put(title, {
          number: ++number,
          description: text,
          status: isDone ? 'Completed' : 'Pending',
          depends: new Map(depends.map((name) => [name, { isBound: false }])),
        })
    }
    for (const { depends } of this.#all())
      for (const [name, one] of depends) one.isBound = this.#find(name) !== undefined
    return 'ok'
  }

  /** The block without its second line. */
  block(): string[] {
    if (!this.#all().some(isOpen)) return ['']
    return [
      '## Tool TODOs',
      ...this.groups
        .filter(({ items }) => items.length > 0)
        .flatMap(({ title, items }) => [
          '',
          `### ${title}`,
          ...items.map((task) => {
            const depends = [...task.depends.keys()].join(', ')
            const waits = depends === '' ? '' : `  (depends: ${depends})`
            return `- [${MARKS[task.status]}] ${task.description}${waits}  (${nameOf(task)})`
          }),
        ]),
    ]
  }
}
