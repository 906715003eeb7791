/* oxlint-disable vitest/no-standalone-expect -- the players check every call of theirs */
import { expect } from 'vitest'
import { taskName } from '../../shared/plan/task-names.ts'
import { isTerminal, taskGroups, taskStatus } from '../../shared/dialects/tasks/shape.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { Step } from '../../shared/schema/plan.ts'
import { Dice } from './dice.ts'
import type { Called, Effect, World } from './world.ts'

interface Wanted {
  readonly deed: 'Add' | 'Start' | 'Remove' | 'Clean' | 'Complete' | 'Cancel' | 'Describe' | 'Depend' | 'Move'
  /** The task that the call names; null where it names none. */
  readonly meant: StepId | null
  readonly tool: string
  readonly args: object
}

const GROUPS = ['backend', 'frontend']
const PROMPTS = /repeat with rev (\d+)/i

/** An agent that means by `task-N` the task of the latest list in which it read that name. */
export class TasksAgent {
  readonly #name: string
  readonly #world: World
  #dice: Dice = new Dice([])
  /** The plan as it read it last. */
  #list: readonly Step[] = []
  /** The steps that it was ever shown, or made. */
  readonly #seen = new Set<StepId>()
  #started: StepId | null = null

  constructor(name: string, world: World) {
    this.#name = name
    this.#world = world
  }

  async act(dice: Dice): Promise<void> {
    this.#dice = dice
    if (dice.once(8)) return this.#read()
    const wanted = this.#choose()
    const called = await this.#world.call(this.#name, 'tasks', wanted.tool, wanted.args)
    if (called.reply.success) return this.#check(wanted, called)
    await this.#refused(wanted, called.reply.text)
  }

  async #read(): Promise<void> {
    const { reply, effect } = await this.#world.call(this.#name, 'tasks', 'plan_todo_read', {
      action: { type: 'List' },
    })
    effect.expectNothing()
    this.#learn(JSON.parse(reply.text) as object, effect.after)
  }

  /** Its own list names every task of the plan, each as it stands. */
  #learn(shown: object, plan: Plan): void {
    const expected = taskGroups(plan).map(({ title, tasks }) => ({
      title,
      items: tasks.map((task) => ({ id: taskName(task), description: task.text, status: taskStatus(task) })),
    }))
    expect(shown).toMatchObject({ groups: expected })
    this.#list = plan.steps
    for (const { id } of plan.steps) this.#seen.add(id)
  }

  #choose(): Wanted {
    const dice = this.#dice
    // The highest number is the one that may have been given again.
    const highest = this.#list.toSorted((a, b) => (b.number ?? 0) - (a.number ?? 0))[0]
    const task = dice.once(2) ? highest : dice.of(this.#list)
    const kind = dice.below(12)
    if (task === undefined || kind < 3) {
      const waits = task === undefined || !dice.once(2) ? {} : { depends_on: [taskName(task)] }
      return this.#write('Add', null, { group: dice.of(GROUPS), description: this.#world.text(), ...waits })
    }
    const { id } = task
    if (kind < 6 && !isTerminal(task)) {
      const isBusy = this.#list.some((one) => one.id === this.#started && one.status === 'in_progress')
      if (!isBusy) return this.#write('Start', id, { id: taskName(task) })
      const type = dice.once(4) ? 'Cancel' : 'Complete'
      const tool = 'plan_todo_cross_off'
      return { deed: type, meant: id, tool, args: { action: { type, id: taskName(task) } } }
    }
    if (kind < 8) return this.#edit('Describe', id, { id: taskName(task), description: this.#world.text() })
    if (kind < 9) return this.#edit('Move', id, { id: taskName(task), group: dice.of(GROUPS) })
    if (kind < 10) {
      const other = dice.of(this.#list)
      const depends_on = other === undefined || other === task ? [] : [taskName(other)]
      return this.#edit('Depend', id, { id: taskName(task), depends_on })
    }
    if (kind < 11) return this.#write('Remove', id, { id: taskName(task) })
    return this.#write('Clean', null, { keep_pending: true })
  }

  #write(deed: Wanted['deed'], meant: StepId | null, fields: object): Wanted {
    return { deed, meant, tool: 'plan_todo_write', args: { action: { type: deed, ...fields } } }
  }

  #edit(deed: Wanted['deed'], meant: StepId, edit: object): Wanted {
    return { deed, meant, tool: 'plan_todo_edit', args: { edit } }
  }

  /** It repeats with the version that the refusal names, and reads the list. */
  async #refused(wanted: Wanted, text: string): Promise<void> {
    const rev = PROMPTS.exec(text)?.[1]
    if (rev !== undefined && this.#dice.once(2)) {
      const called = await this.#world.call(this.#name, 'tasks', wanted.tool, { ...wanted.args, rev: Number(rev) })
      if (called.reply.success) this.#check(wanted, called)
    }
    await this.#read()
  }

  #check({ deed, meant }: Wanted, { reply, effect }: Called): void {
    const touches = (...deeds: Wanted['deed'][]): ReadonlySet<StepId> =>
      new Set(meant !== null && deeds.includes(deed) ? [meant] : [])
    this.#expectOnly(effect.changed('status'), touches('Start', 'Complete', 'Cancel'), effect)
    this.#expectOnly(effect.changed('text'), touches('Describe'), effect)
    this.#expectOnly(effect.changed('dependencies'), touches('Depend'), effect)
    if (deed !== 'Clean') this.#expectOnly(effect.changed('group'), touches('Move'), effect)
    expect(effect.created.length).toBe(deed === 'Add' ? 1 : 0)
    const removable = meant !== null && deed === 'Remove' ? effect.before.subtree(meant).map(({ id }) => id) : []
    for (const { id, text, status } of effect.removed) {
      expect(this.#seen.has(id), `${this.#name} never saw "${text}", and removed it`).toBe(true)
      if (deed === 'Clean') expect(['completed', 'cancelled']).toContain(status)
      else expect(removable, `${this.#name} never meant to remove "${text}"`).toContain(id)
    }
    if (deed === 'Remove') expect(effect.after.step(meant ?? ('' as StepId))).toBeUndefined()
    if (deed === 'Start') this.#started = meant
    const { list } = JSON.parse(reply.text) as { list: object }
    this.#learn(list, effect.after)
  }

  #expectOnly(changed: readonly Step[], meant: ReadonlySet<StepId>, { before }: Effect): void {
    for (const { id } of changed)
      expect(meant.has(id), `${this.#name} never meant to change "${before.step(id)?.text}"`).toBe(true)
  }
}
