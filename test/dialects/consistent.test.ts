import { expect, test } from 'vitest'
import type { ToolReply } from '../../shared/dialects/call.ts'
import type { Status, Step } from '../../shared/schema/plan.ts'
import type { RoomDriver, Standing } from '../helpers/plan-driver.ts'
import { openRoom } from '../helpers/plan-driver.ts'
import { expectConsistent, readings } from './readings.ts'
import type { Next } from './seeded.ts'
import { pick, seeded, shuffled } from './seeded.ts'

const ACTORS = ['agent-a', 'agent-b', 'agent-c', ''] as const
const CLOSED: readonly string[] = ['completed', 'cancelled']
const STATUSES: readonly Status[] = ['pending', 'in_progress', 'completed', 'blocked', 'cancelled']

/** What an actor was shown, put down from what was printed to it and from what it wrote. */
class Memory {
  /** Whether all places of the plan were ever printed to it. */
  looked = false
  /** The version that it read last. */
  rev = 0
  /** For each step whose text it saw the status that it saw last; null where only the text was printed. */
  readonly seen = new Map<string, string | null>()
  /** The list as it saw it, for writing it again. */
  list: { content: string; status: string; id: string }[] = []

  saw({ id, status }: Step): void {
    this.seen.set(id, status)
  }
}

interface Wish {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A call that is mostly right, and sometimes stale or wrong. */
function anyCall(next: Next, memory: Memory, present: Standing, serial: () => number): Wish {
  const size = present.steps.length
  const place = (): number => 1 + next(size + 1)
  const places = (): number[] => Array.from({ length: 1 + next(3) }, place)
  const id = (): unknown => {
    const number = pick(next, present.steps.length === 0 ? [null] : present.steps)?.number ?? 1 + next(9)
    return pick(next, [`task-${number}`, number, 'task-99', present.steps[next(Math.max(1, size))]?.id ?? 'task-1'])
  }
  const text = (): string => (next(4) === 0 ? pick(next, ['same', 'verify it']) : `w${serial()}`)
  const rev = next(4) === 0 ? { rev: pick(next, [memory.rev, present.version, next(present.version + 2)]) } : {}
  const act = (tool: string, type: string, fields: object): Wish => ({
    tool,
    args: { action: { type, ...fields }, ...rev },
  })
  const group = (): string => pick(next, ['g', 'h', 'Ungrouped'])
  const depends = () =>
    next(2) === 0 ? {} : { depends_on: Array.from({ length: next(3) }, () => `task-${1 + next(9)}`) }
  switch (next(17)) {
    case 0:
    case 1: {
      const parent = next(2) === 0 ? {} : { parent_index: place() }
      const steps = Array.from({ length: 1 + next(4) }, () => ({ text: text(), depth: next(3) }))
      return { tool: 'add_todos', args: { steps, ...parent, ...rev } }
    }
    case 2:
    case 3:
      return { tool: 'toggle_todos', args: { indices: places(), ...rev } }
    case 4:
      return { tool: 'update_todos', args: { updates: places().map((index) => ({ index, text: text() })), ...rev } }
    case 5:
      return { tool: 'remove_todos', args: { indices: places().slice(0, 2), ...rev } }
    case 6:
      return { tool: 'list_todos', args: {} }
    case 7:
    case 8:
      return act('plan_todo_write', 'Add', { group: group(), description: text(), ...depends() })
    case 9:
      return act('plan_todo_write', 'Start', { id: id() })
    case 10: {
      const type = pick(next, ['Remove', 'Clean', 'VerifyGroup'])
      return act('plan_todo_write', type, { id: id(), keep_pending: next(3) > 0, group: group() })
    }
    case 11:
      return { tool: 'plan_todo_edit', args: { edit: { id: id(), ...pick(next, [{ description: text() }, { group: group() }, depends()]) }, ...rev } } // prettier-ignore
    case 12:
      return act('plan_todo_cross_off', pick(next, ['Complete', 'Cancel']), { id: id() })
    case 13:
      return act('plan_todo_read', pick(next, ['List', 'List', 'Get']), pick(next, [{}, { group: group() }, { status: 'Pending' }, { id: id() }])) // prettier-ignore
    case 14:
      return next(4) > 0
        ? { tool: 'read_todos', args: {} }
        : { tool: 'plan_load_from_md', args: { markdown: `## g\n- [ ] ${text()}\n- [x] same`, ...rev } }
    default:
      return { tool: 'write_todos', args: { todos: anyList(next, memory, text), ...rev } }
  }
}

/** The list as it was seen, with some of it left out, changed, put elsewhere or added. */
function anyList(next: Next, { list }: Memory, text: () => string): object[] {
  const kept = list.filter(() => next(6) > 0)
  const items = (next(4) === 0 ? shuffled(next, kept) : kept).map(({ content, status, id }) => ({
    content: next(8) === 0 ? text() : content,
    status: next(4) === 0 ? pick(next, STATUSES) : status,
    ...(next(3) === 0 ? { id } : {}),
    ...(next(8) === 0 ? { required: true, description: 'long' } : {}),
  }))
  for (let i = next(3); i > 0; i--)
    items.splice(next(items.length + 1), 0, {
      content: text(),
      status: pick(next, STATUSES),
      ...(next(6) === 0 ? { id: pick(next, ['mine', 'yours', 't2']) } : {}),
    })
  return items
}

/** Puts down what a reply has shown. @param before how the plan stood before the call */
function remember(memory: Memory, { tool, args }: Wish, reply: ToolReply, before: Standing, after: Standing): void {
  if (!reply.success) {
    // A caller that never looked is refused with the plan, and so has looked.
    if (reply.text.includes('Here is the plan')) {
      memory.looked = true
      for (const step of after.steps) memory.saw(step)
    }
    return
  }
  const old = new Map(before.steps.map((step) => [step.id, step]))
  // Whatever it wrote itself it knows.
  for (const step of after.steps) {
    const was = old.get(step.id)
    if (was === undefined || (tool === 'write_todos' && was !== step)) memory.saw(step)
    else {
      if (was.text !== step.text) memory.seen.set(step.id, memory.seen.get(step.id) ?? null)
      if (was.status !== step.status) memory.saw(step)
    }
  }
  const printed = printedSteps(tool, args, reply, after)
  for (const step of printed.steps) memory.saw(step)
  if (!printed.isWhole) return
  memory.looked = true
  memory.rev = after.version
  memory.list = after.steps.map(({ text, status, alias }, i) => ({ content: text, status, id: alias ?? `t${i + 1}` }))
}

function printedSteps(tool: string, args: Wish['args'], reply: ToolReply, after: Standing) {
  if (tool === 'list_todos' || tool === 'read_todos' || tool === 'write_todos')
    return { steps: after.steps, isWhole: true }
  const parsed = tool.startsWith('plan_todo')
    ? (JSON.parse(reply.text) as { list?: Printed; groups?: Printed['groups'] })
    : {}
  const items = (parsed.list?.groups ?? parsed.groups ?? []).flatMap((group) => group.items)
  const ids = new Set(items.map((item) => item.id))
  const { type, group, status } = (args['action'] ?? {}) as Readonly<Record<string, unknown>>
  const isFiltered = tool === 'plan_todo_read' && (type === 'Get' || group !== undefined || status !== undefined)
  const isWhole = tool.startsWith('plan_todo') && !isFiltered
  return { steps: after.steps.filter(({ number }) => ids.has(`task-${number}`)), isWhole }
}
interface Printed {
  readonly groups: readonly { readonly items: readonly { readonly id: string }[] }[]
}

/** The ids of the steps in order, at each version. */
type Orders = readonly (readonly string[])[]

/** What a call must not have done to what its caller had not seen. */
function expectNothingUnseen(memory: Memory, wish: Wish, before: Standing, after: Standing, orders: Orders): void {
  const { tool, args } = wish
  const now = new Map(after.steps.map((step) => [step.id, step]))
  // An actor that never looked means the plan as it stands; but a list or a loaded plan takes nothing for seen.
  const replaces = tool === 'write_todos' || tool === 'plan_load_from_md'
  if (!memory.looked && !replaces) return
  const means = tool === 'plan_load_from_md' && args['rev'] === before.version
  const named = namedExplicitly(wish, orders)
  for (const step of before.steps) {
    const later = now.get(step.id)
    const what = `${step.text} (${step.status}, seen as ${String(memory.seen.get(step.id))})`
    if (later === undefined) {
      if (!means && !named(step)) expect(memory.seen.has(step.id), `removed unseen: ${what}`).toBe(true)
    } else if (CLOSED.includes(step.status) && !CLOSED.includes(later.status))
      expect(memory.seen.get(step.id), `opened again unseen: ${what}`).toBe(step.status)
  }
}

/** Steps that a call to remove them named by an internal id, or by a version: they are meant, seen or not. */
function namedExplicitly({ tool, args }: Wish, orders: Orders): (step: Step) => boolean {
  const { action, indices, rev } = args as { action?: { id?: unknown }; indices?: readonly number[]; rev?: number }
  if (tool === 'remove_todos' && rev !== undefined) {
    const meant = indices?.map((place) => orders[rev]?.[place - 1])
    return ({ id }) => meant?.includes(id) === true
  }
  const names = ({ id, number }: Step) => (rev === undefined ? [id] : [id, number, `task-${number}`])
  return (step) => tool === 'plan_todo_write' && names(step).includes(action?.id as string)
}

async function fold(plan: RoomDriver, next: Next, who: string, memory: Memory, log: string[]): Promise<void> {
  const { steps, version } = await plan.standing()
  const dialect = pick(next, ['outline', 'tasks', 'checklist'])
  const block = await plan.block(who, dialect, 100 + next(100))
  log.push(`${who} reads the block of ${dialect}`)
  if (block === '' && steps.length > 0) return
  // Each line ends or goes on behind the text of its step; equal texts are told apart by what stands before them.
  const lines = block.split('\n')
  memory.looked = true
  memory.rev = version
  steps.forEach((step, i) => {
    const starts = [`#${i + 1}  `, `  ${step.alias ?? `t${i + 1}`} [`]
    if (
      lines.some((line) => starts.some((start) => line.startsWith(start)) || line.endsWith(`  (task-${step.number})`))
    )
      memory.saw(step)
  })
  memory.list = steps
    .filter(({ id }) => memory.seen.has(id))
    .map(({ text, status, alias }, i) => ({ content: text, status, id: alias ?? `t${i + 1}` }))
}

test('[one plan, three readings] they agree after every call; nothing unseen is removed or opened again', async () => {
  await seeded(
    60,
    async (next, log) => {
      const plan = openRoom()
      const memories = new Map(ACTORS.map((name) => [name, new Memory()]))
      let serial = 0
      let before = await plan.standing()
      const orders: string[][] = [[]]
      for (let i = 0; i < 40; i++) {
        const who = pick(next, ACTORS)
        const memory = memories.get(who) ?? new Memory()
        if (next(12) === 0) {
          await fold(plan, next, who, memory, log)
          expect(await plan.standing()).toEqual(before)
          continue
        }
        const wish = anyCall(next, memory, before, () => ++serial)
        const reply = await plan.call(who, wish.tool, wish.args)
        log.push(`${who} ${wish.tool} ${JSON.stringify(wish.args)} -> v${reply.version} ${reply.text.slice(0, 300)}`)
        const after = await plan.standing()
        expect(reply.version).toBe(after.version)
        if (!reply.success) expect(after).toEqual(before)
        expect((await plan.activity()).length).toBe(after.version)
        if (after.version === before.version) expect(after).toEqual(before)
        else expect(after.version).toBe(before.version + 1)
        expectNothingUnseen(memory, wish, before, after, orders)
        orders[after.version] = after.steps.map(({ id }) => id)
        remember(memory, wish, reply, before, after)
        expectConsistent(after, await readings(plan))
        before = after
      }
      await plan.close()
    },
    [],
  )
})

/** What a reply of one dialect may hold in a plan that one caller alone touched, in the words of its own pages. */
const OWN_WORDS: Readonly<Record<string, (reply: ToolReply) => void>> = {
  outline: (reply) => {
    const notes = (JSON.parse(reply.text) as { notes?: string[] }).notes ?? []
    for (const note of notes)
      expect(note).toMatch(/^(skipped #|lowered, |#\d+ is now|#\d+ to #\d+ are now|.*list again$)/)
    expect(reply.text).not.toMatch(/task-|\bt\d+\b|group|blocked|\[[*!-]\]|Repeat with rev/)
  },
  tasks: (reply) => {
    // Behind the error stands what is there, where a name fits no task, and what of the arguments was passed over.
    const error = reply.text.split('\n\n')[0]
    if (!reply.success) return expect(error).toMatch(/^(Task '[^']*' (does not exist\. Use List to see available tasks|not found|is already (completed|cancelled))\.|Only one task at a time can be InProgress\. [^\n]*|Group '[^']*' does not exist\.|Get needs an id: .*)$/) // prettier-ignore
    const { list, groups, nags } = JSON.parse(reply.text) as {
      list?: Printed
      groups?: unknown
      nags: { message: string }[]
    }
    expect(list?.groups ?? groups).toBeInstanceOf(Array)
    expect(JSON.stringify(list ?? groups)).not.toContain('Ungrouped')
    for (const { message } of nags)
      expect(message).toMatch(
        /^(ignored: |Dependency '|'task-\d+' (depends on|was removed but)|Removed \d+ (completed or cancelled tasks|empty groups?)\.|Group 'g|Group 'h)/,
      )
  },
  checklist: (reply) => {
    if (reply.text.startsWith('[')) return
    const [head = '', ...rest] = reply.text.split('\n')
    expect(head).toBe(`Updated todo list v${reply.version}: ${head.split(': ')[1] ?? ''}`)
    for (const line of rest) expect(line).toMatch(/^( {2}[+~-] |$|All tasks completed)/)
  },
}

test('[one plan, three readings] where one caller touches the plan through one dialect, nothing else shows', async () => {
  const tools: Readonly<Record<string, readonly string[]>> = {
    outline: ['add_todos', 'toggle_todos', 'update_todos', 'remove_todos', 'list_todos'],
    tasks: ['plan_todo_write', 'plan_todo_edit', 'plan_todo_cross_off', 'plan_todo_read'],
    checklist: ['write_todos', 'read_todos'],
  }
  await seeded(30, async (next, log) => {
    const dialect = pick(next, Object.keys(tools))
    const plan = openRoom()
    const memory = new Memory()
    let serial = 0
    for (let i = 0; i < 40; i++) {
      const before = await plan.standing()
      const { tool, args } = anyCall(next, memory, before, () => ++serial)
      if (tools[dialect]?.includes(tool) !== true) continue
      // Its own ids and groups alone: numbers that name a step, and no list or version that counts otherwise.
      const rest = JSON.parse(JSON.stringify(args), (key, value: unknown) => {
        if (key === 'rev' || (key === 'id' && tool === 'write_todos')) return undefined
        return value === 'Ungrouped' ? 'g' : value
      }) as Record<string, unknown>
      if (dialect === 'tasks' && /"id":"(?!task-)/.test(JSON.stringify(rest))) continue
      const reply = await plan.call('agent-a', tool, rest)
      log.push(`${tool} ${JSON.stringify(rest)} -> ${reply.text.slice(0, 300)}`)
      expect(reply.digest).toBeUndefined()
      OWN_WORDS[dialect]?.(reply)
      const after = await plan.standing()
      remember(memory, { tool, args: rest }, reply, before, after)
      memory.list = after.steps.map(({ text, status }) => ({ content: text, status, id: '' }))
    }
    const block = await plan.block('agent-a', dialect)
    if (dialect === 'outline') expect(block).not.toMatch(/task-|\bt\d+ \[/)
    if (dialect === 'tasks') expect(block).not.toMatch(/Ungrouped|#\d/)
    if (dialect === 'checklist') expect(block).not.toMatch(/task-|#\d/)
    await plan.close()
  })
})

test('a step that was only counted, and renamed by its id, is not taken for seen as it stands', async () => {
  const plan = openRoom()
  await plan.call('agent-b', 'add_todos', { steps: Array.from({ length: 60 }, (_, i) => `step ${i} with some words`) })
  await plan.call('agent-b', 'toggle_todos', { indices: [7] })
  expect(await plan.block('agent-a', 'outline', 200)).not.toContain('#7 ')
  const index = (await plan.standing()).steps[6]?.id
  expect((await plan.call('agent-a', 'update_todos', { updates: [{ index: 7, text: 'mine' }] })).success).toBe(false)
  await plan.call('agent-a', 'update_todos', { updates: [{ index, text: 'mine' }] })
  await plan.call('agent-a', 'update_todos', { updates: [{ index, text: 'mine now' }] })
  const reply = await plan.call('agent-a', 'write_todos', { todos: [{ content: 'mine now', status: 'pending' }] })
  const { steps } = await plan.standing()
  expect(steps.find(({ text }) => text === 'mine now')).toMatchObject({ status: 'completed' })
  expect(reply.text).toMatch(/ {2}= and \d+ more: read_todos shows them\nKept, as you never listed them/)
  await plan.close()
})
