import { applyAwarenessUpdate, type Awareness } from 'y-protocols/awareness'
import type { Actor } from '../../shared/schema/actor.ts'
import type { StepId } from '../../shared/schema/ids.ts'
import { MAX_PRESENT_AGENTS, PRESENT_AGENT_MS } from '../../shared/schema/limits.ts'
import { awarenessUpdate } from './wire.ts'

/** Everybody forgets a state that is not renewed within 30 s. */
const RENEW_MS = 12_000
/** Agents make many calls a second: what they come to is told together. */
const GATHER_MS = 120
/** Characters of what an agent is doing: a line, and within what an awareness state may have. */
const MAX_DOING = 300

/** What a call tells of the agent that made it. */
export interface Doing {
  /** The step that it changed; null: it only looked. */
  readonly step: StepId | null
  /** What it said it was doing, or what its tool does. */
  readonly doing: string
}

interface Agent {
  readonly client: number
  /** Milliseconds since 1970. */
  until: number
  state: string
  step: StepId | null
}

/** Agents that only make calls: each is present for a minute after its last one, under one awareness id of the room's own. */
export class Agents {
  readonly #awareness: Awareness
  readonly #now: () => number
  readonly #agents = new Map<string, Agent>()
  /** Those that called since it was last told. */
  readonly #news = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #telling: NodeJS.Timeout | undefined

  /** @param now milliseconds since 1970 */
  constructor(awareness: Awareness, now: () => number = Date.now) {
    this.#awareness = awareness
    this.#now = now
  }

  /** Whether an awareness id is one of these. */
  owns(client: number): boolean {
    for (const agent of this.#agents.values()) if (agent.client === client) return true
    return false
  }

  called({ id, name }: Actor, { step, doing }: Doing): void {
    const known = this.#agents.get(id)
    const agent: Agent = known ?? { client: this.#newClient(), until: 0, state: '', step: null }
    agent.until = this.#now() + PRESENT_AGENT_MS
    agent.step = step ?? agent.step
    agent.state = JSON.stringify({ name, kind: 'agent', id, step: agent.step, doing: doing.slice(0, MAX_DOING) })
    // Who called last stands last.
    this.#agents.delete(id)
    this.#agents.set(id, agent)
    this.#news.add(id)
    this.#telling ??= setTimeout(() => this.#tell(), GATHER_MS).unref()
    const [oldest] = this.#agents
    if (this.#agents.size > MAX_PRESENT_AGENTS && oldest !== undefined) this.#leave(...oldest)
    this.#timer ??= setInterval(() => this.#renew(), RENEW_MS / 2).unref()
  }

  /** An agent that has a connection speaks for itself. */
  left(id: string): void {
    const agent = this.#agents.get(id)
    if (agent !== undefined) this.#leave(id, agent)
  }

  destroy(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#telling)
    this.#agents.clear()
  }

  #tell(): void {
    this.#telling = undefined
    for (const id of this.#news) {
      const agent = this.#agents.get(id)
      if (agent !== undefined) this.#say(agent, agent.state)
    }
    this.#news.clear()
  }

  #renew(): void {
    const now = this.#now()
    for (const [id, agent] of this.#agents) {
      const renewed = this.#awareness.meta.get(agent.client)?.lastUpdated ?? 0
      if (agent.until <= now) this.#leave(id, agent)
      else if (now - renewed >= RENEW_MS) this.#say(agent, agent.state)
    }
  }

  #leave(id: string, agent: Agent): void {
    this.#agents.delete(id)
    if (this.#awareness.getStates().has(agent.client)) this.#say(agent, 'null')
    this.#awareness.meta.delete(agent.client)
    if (this.#agents.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #say({ client }: Agent, state: string): void {
    const clock = (this.#awareness.meta.get(client)?.clock ?? 0) + 1
    applyAwarenessUpdate(this.#awareness, awarenessUpdate([{ client, clock, state }]), this)
  }

  #newClient(): number {
    let client: number
    do client = Math.floor(Math.random() * 2 ** 32)
    while (this.#awareness.meta.has(client))
    return client
  }
}
