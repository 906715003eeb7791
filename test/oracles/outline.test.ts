import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { envelopeOf, openPure } from '../helpers/plan-driver.ts'

interface Line {
  text: string
  depth: number
  done: boolean
}
interface Given {
  readonly text: string
  readonly depth: number
}
interface Said {
  readonly success: boolean
  /** Left out where the words are ours to choose. */
  readonly summary?: string
}

const NOTHING: Said = { success: true, summary: 'no matching todo steps found' }
const REFUSED: Said = { success: false }
const steps = (n: number): string => `${n} todo step${n === 1 ? '' : 's'}`
const isBlank = (text: string): boolean => text.trim() === ''

/** The published list as lines with a depth, in the order that they are printed. */
class Outline {
  lines: Line[] = []

  #end(at: number): number {
    const depth = this.lines[at]?.depth ?? 0
    let end = at + 1
    while ((this.lines[end]?.depth ?? -1) > depth) end++
    return end
  }
  #there(indices: readonly number[]): number[] {
    return [...new Set(indices)].filter((index) => this.lines[index - 1] !== undefined)
  }

  add(given: readonly Given[], parent: number | null): Said {
    if (given.some(({ text }) => isBlank(text))) return REFUSED
    const above = parent === null ? undefined : this.lines[parent - 1]
    if (parent !== null && above === undefined) return REFUSED
    const base = above === undefined ? 0 : above.depth + 1
    const added: Line[] = []
    for (const [at, { text, depth }] of given.entries()) {
      const before = given.slice(0, at).findLastIndex((one) => one.depth < depth)
      added.push({ text, depth: (added[before]?.depth ?? base - 1) + 1, done: false })
    }
    this.lines.splice(parent === null ? this.lines.length : this.#end(parent - 1), 0, ...added)
    return { success: true, summary: `added ${steps(given.length)}` }
  }

  toggle(indices: readonly number[]): Said {
    const there = this.#there(indices)
    if (there.length === 0) return NOTHING
    const told = there.map((index) => {
      const line = this.lines[index - 1] as Line
      line.done = !line.done
      return `#${index} now ${line.done ? 'done' : 'pending'}`
    })
    return { success: true, summary: `toggled ${steps(there.length)}: ${told.join(', ')}` }
  }

  update(updates: readonly { index: number; text: string }[]): Said {
    if (updates.some(({ text }) => isBlank(text))) return REFUSED
    const there = this.#there(updates.map(({ index }) => index))
    if (there.length === 0) return NOTHING
    for (const { index, text } of updates) {
      const line = this.lines[index - 1]
      if (line !== undefined) line.text = text
    }
    return { success: true, summary: `updated ${steps(there.length)}` }
  }

  remove(indices: readonly number[]): Said {
    const going = new Set<number>()
    for (const index of this.#there(indices)) for (let at = index - 1; at < this.#end(index - 1); at++) going.add(at)
    if (going.size === 0) return NOTHING
    this.lines = this.lines.filter((_, at) => !going.has(at))
    return { success: true, summary: `removed ${steps(going.size)}` }
  }

  print(): string {
    const counters: number[] = []
    const printed = this.lines.map(({ text, depth, done }, at) => {
      counters.length = Math.min(counters.length, depth + 1)
      counters[depth] = (counters[depth] ?? 0) + 1
      return `#${at + 1}  ${counters.join('.')}  [${done ? 'x' : ' '}] ${text}`
    })
    return printed.join('\n') || '(no todo steps yet)'
  }
}

interface Move {
  readonly tool: string
  readonly args: object
  readonly play: (model: Outline) => Said
}

const index = fc.integer({ min: 0, max: 14 })
const indices = fc.array(index, { maxLength: 4 })
const text = fc.oneof({ weight: 30, arbitrary: fc.constantFrom('A', 'B', 'two words', 'é 😀') }, fc.constant(' '))
const given = fc.record({ text, depth: fc.nat(4) })

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(given, { maxLength: 5 }), fc.option(fc.integer({ min: 1, max: 12 })))
      .map(([list, parent]): Move => ({
        tool: 'add_todos',
        args: { steps: list, parent_index: parent },
        play: (model) => model.add(list, parent),
      })),
  },
  {
    weight: 3,
    arbitrary: indices.map((some): Move => ({
      tool: 'toggle_todos',
      args: { indices: some },
      play: (model) => model.toggle(some),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.record({ index, text }), { maxLength: 3 })
      .map((updates): Move => ({ tool: 'update_todos', args: { updates }, play: (model) => model.update(updates) })),
  },
  {
    weight: 2,
    arbitrary: indices.map((some): Move => ({
      tool: 'remove_todos',
      args: { indices: some },
      play: (model) => model.remove(some),
    })),
  },
)

test('outline: a lone agent is served as published, call for call', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 5, maxLength: 40 }),
      fc.constantFrom('', 'agent-a'),
      fc.boolean(),
      async (moves, who, looks) => {
        const plan = openPure()
        const model = new Outline()
        let version = 0
        for (const { tool, args, play } of moves) {
          const before = model.print()
          const said = play(model)
          if (before !== model.print()) version++
          const envelope = envelopeOf(await plan.call(who, tool, args))
          expect(envelope).toMatchObject({ ...said, version })
          // What others do is the only thing that moves a number without a word.
          expect(envelope.digest).toBeUndefined()
          if (looks) expect(envelopeOf(await plan.call(who, 'list_todos')).summary).toBe(model.print())
        }
        expect(envelopeOf(await plan.call(who, 'list_todos')).summary).toBe(model.print())
        await plan.close()
      },
    ),
    { numRuns: 300 },
  )
})
