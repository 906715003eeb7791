/* oxlint-disable vitest/no-standalone-expect -- the players check every call of theirs */
/**
 * One plan that agents and a person work on at a time, and what each call did to it.
 */
import { expect } from 'vitest'
import * as Y from 'yjs'
import { applyChange } from '../../shared/plan/apply.ts'
import type { Plan } from '../../shared/plan/plan.ts'
import { checkOperations } from '../../shared/plan/check.ts'
import type { ToolReply } from '../../shared/dialects/call.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import type { PlanOperation } from '../../shared/schema/operation.ts'
import type { Step } from '../../shared/schema/plan.ts'
import type { Room } from '../../server/rooms/room.ts'
import type { TestRooms } from '../helpers/sockets.ts'
import { agent, callOf, human, quiet, readPlan, RoomClient, T, testRooms, updateFrame } from '../helpers/sockets.ts'

/** What a call did. */
export class Effect {
  readonly before: Plan
  readonly after: Plan

  constructor(before: Plan, after: Plan) {
    this.before = before
    this.after = after
  }

  /** In the order in which they stand now. */
  get created(): Step[] {
    return this.after.steps.filter(({ id }) => this.before.step(id) === undefined)
  }
  get removed(): Step[] {
    return this.before.steps.filter(({ id }) => this.after.step(id) === undefined)
  }
  /** The steps of which a field is another, each as it is now. */
  changed(field: 'text' | 'status' | 'group' | 'dependencies'): Step[] {
    return this.after.steps.filter((step) => {
      const was = this.before.step(step.id)
      return was !== undefined && JSON.stringify(was[field]) !== JSON.stringify(step[field])
    })
  }

  expectNothing(): void {
    expect(this.after.steps).toEqual(this.before.steps)
  }
}

export interface Called {
  readonly reply: ToolReply
  readonly effect: Effect
}

/** Calls, and those of them that were refused. */
export interface Count {
  calls: number
  refused: number
}

export class World {
  readonly #inside: TestRooms
  readonly room: Room
  readonly counts = new Map<string, Count>()
  /** Who has changed the plan: one actor alone is served as published. */
  readonly #writers = new Set<string>()
  /** Somebody who only looks: what everybody hears is what is there. */
  readonly #onlooker: RoomClient
  #texts = 0
  /** What happened, for whoever reads a failure. */
  readonly story: string[] = []

  private constructor(inside: TestRooms, room: Room) {
    this.#inside = inside
    this.room = room
    this.#onlooker = new RoomClient(room, human('onlooker'))
    this.#onlooker.ask()
  }

  static async open(): Promise<World> {
    const inside = testRooms()
    const { room } = await inside.rooms.hold(T)
    return new World(inside, room)
  }

  get plan(): Plan {
    this.#onlooker.pump()
    return readPlan(this.#onlooker.doc)
  }

  /** A text that nobody has written before. */
  text(): string {
    return `text ${++this.#texts}`
  }

  isShared(name: string): boolean {
    return [...this.#writers].some((writer) => writer !== name)
  }

  /** A call alone, and what it did. A refused one must have done nothing. */
  async call(name: string, dialect: string, tool: string, args: object): Promise<Called> {
    const [called] = await this.callTogether(name, dialect, [{ tool, args }])
    if (called === undefined) throw new Error('no reply')
    return called
  }

  /** Calls sent at the same moment, each with what all of them did. */
  async callTogether(
    name: string,
    dialect: string,
    calls: readonly { readonly tool: string; readonly args: object }[],
  ): Promise<Called[]> {
    const { version } = this.room
    const before = this.plan
    const replies = await Promise.all(calls.map(({ tool, args }) => this.room.call(callOf(tool, args, agent(name)))))
    const effect = new Effect(before, this.plan)
    for (const [i, reply] of replies.entries()) {
      this.#count(dialect, reply.success)
      this.story.push(`${name} ${calls[i]?.tool} ${JSON.stringify(calls[i]?.args)}\n    -> ${reply.text}`)
    }
    if (replies.every(({ success }) => !success)) effect.expectNothing()
    if (this.room.version !== version) this.#writers.add(name)
    return replies.map((reply) => ({ reply, effect }))
  }

  #count(dialect: string, success: boolean): void {
    const count = this.counts.get(dialect) ?? { calls: 0, refused: 0 }
    count.calls++
    if (!success) count.refused++
    this.counts.set(dialect, count)
  }

  /** The same plan, read from the storage. */
  async reopened(): Promise<readonly Step[]> {
    await this.#inside.rooms.drain()
    const { room } = await testRooms(60_000, this.#inside.memory).rooms.hold(T)
    return (await room.snapshot()).steps
  }

  wrote(name: string): void {
    this.#writers.add(name)
  }
}

/** A person with a copy of the plan, who is offline now and then. */
export class Person {
  readonly #world: World
  readonly #client: RoomClient
  #isOnline = true
  /** Steps that were taken away here and not sent yet. */
  readonly #removed = new Set<StepId>()
  readonly #added = new Set<StepId>()
  #at = 0

  constructor(world: World) {
    this.#world = world
    this.#client = new RoomClient(world.room, human('ada'))
    this.#client.ask()
    this.#client.pump()
  }

  get steps(): readonly Step[] {
    return this.#pumped().steps
  }

  #pumped(): Plan {
    if (this.#isOnline) this.#client.pump()
    return readPlan(this.#client.doc)
  }

  goOffline(): void {
    if (this.#isOnline) this.#world.story.push('ada goes offline')
    this.#pumped()
    this.#isOnline = false
    this.#client.sends = false
  }

  /** Changes the own copy; goes to the others when online. */
  async change(operations: (plan: Plan) => readonly PlanOperation[]): Promise<void> {
    const before = this.#pumped()
    const wanted = operations(before)
    if (wanted.length === 0) return
    const others = this.#world.plan
    const { version } = this.#world.room
    const { doc } = this.#client
    applyChange(doc, checkOperations(readPlan(doc), wanted, { by: 'ada', at: ++this.#at }), 'person')
    const after = readPlan(doc)
    const effect = new Effect(before, after)
    for (const { id } of effect.created) this.#added.add(id)
    for (const { id } of effect.removed) {
      this.#removed.add(id)
      this.#added.delete(id)
    }
    this.#world.story.push(`ada ${this.#isOnline ? '' : '(offline) '}${JSON.stringify(wanted)}`)
    if (this.#isOnline) await this.#arrived(others, version)
  }

  /** All that was done offline comes together with what the others did. */
  async comeBack(): Promise<void> {
    if (this.#isOnline) return
    const others = this.#world.plan
    const { version } = this.#world.room
    this.#world.story.push('ada comes back')
    this.#isOnline = true
    this.#client.sends = true
    this.#client.ask()
    this.#client.send(updateFrame(Y.encodeStateAsUpdate(this.#client.doc)))
    await this.#arrived(others, version)
  }

  /** Nothing that either side added is lost, but for what this one took away. */
  async #arrived(others: Plan, version: number): Promise<void> {
    this.#client.pump()
    await quiet()
    this.#client.pump()
    await quiet()
    expect(this.#client.socket.closed).toBeNull()
    const now = this.#world.plan
    if (this.#world.room.version !== version) this.#world.wrote('ada')
    for (const { id, text } of others.steps)
      if (!this.#removed.has(id)) expect(now.step(id), `lost by a merge: ${text}`).toBeDefined()
    for (const id of this.#added) expect(now.step(id), `made here, lost by the merge: ${id}`).toBeDefined()
    this.#removed.clear()
    this.#added.clear()
  }

  async expectSame(): Promise<void> {
    await this.comeBack()
    expect(this.#pumped().steps).toEqual(this.#world.plan.steps)
  }
}
