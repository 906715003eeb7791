import type { Status } from '../schema/plan.ts'
import type { Block, Item, Why } from './markdown-blocks.ts'
import { blocksOf, WHYS } from './markdown-blocks.ts'
import type { Attributes } from './markdown-text.ts'
import { decodeText, takeAttributes } from './markdown-text.ts'
import { OURS } from './markdown.ts'

/** What a step of a file depends on: another of its steps, by its 0-based place, or a name. */
export type MarkdownDependency = { readonly step: number } | { readonly name: string }

export interface MarkdownStep {
  /** 1-based, in the file. */
  readonly line: number
  readonly text: string
  readonly depth: number
  readonly status: Status
  readonly details: string
  readonly required: boolean
  /** The title of its own group, or null. */
  readonly group: string | null
  readonly owner: string | null
  readonly alias: string | null
  readonly dependencies: readonly MarkdownDependency[]
}

/** Lines that were not taken in, and why. */
export interface LeftOut {
  readonly line: number
  readonly end: number
  readonly why: string
  /** The first of them. */
  readonly text: string
}

export interface MarkdownPlan {
  readonly title: string | null
  readonly groups: readonly { readonly title: string; readonly testsVerified: boolean }[]
  readonly steps: readonly MarkdownStep[]
  readonly leftOut: readonly LeftOut[]
  /** What was read otherwise than it was written. */
  readonly notes: readonly { readonly line: number; readonly text: string }[]
}

const STATUS: Readonly<Record<string, Status>> = {
  ' ': 'pending',
  x: 'completed',
  X: 'completed',
  '✓': 'completed',
  '✔': 'completed',
  '*': 'in_progress',
  '/': 'in_progress',
  '~': 'in_progress',
  '-': 'cancelled',
  '!': 'blocked',
}
const FACT = /^(depends on|depends|owner|group|id):\s+(.*)$/is
/** A name that spec-kit gives a task. */
const TASK_NAME = /^(T\d{2,5})\b/
const DEPENDS_ON = /\(depends on ([^)]*)\)/i

interface Heading {
  readonly line: number
  readonly level: number
  readonly title: string
  /** Its title and those above it. */
  readonly path: readonly string[]
  readonly isVerified: boolean
  isUsed: boolean
}
interface Draft {
  readonly item: Item
  readonly text: string
  readonly attributes: Attributes
  readonly heading: Heading | null
  readonly depth: number
  readonly notes: string[]
  readonly facts: Map<string, string>
}

/**
 * Reads Markdown that people have: lists of tasks, nested by whatever indentation, under headings, which are groups; the
 * first heading of level 1 is the title. Bullets without checkboxes are steps if the file has no checkbox at all or steps
 * stand below them; else they are told of the step above.
 */
export function readPlanMarkdown(text: string): MarkdownPlan {
  return new Reader(text).read()
}

class Reader {
  readonly #blocks: readonly Block[]
  readonly #notes: { line: number; text: string }[]
  readonly #leftOut: LeftOut[] = []
  readonly #isOurs: boolean
  readonly #headings: Heading[] = []
  readonly #drafts: Draft[] = []
  #title: string | null = null

  constructor(text: string) {
    const { blocks, notes } = blocksOf(text)
    this.#blocks = blocks
    this.#notes = notes
    this.#isOurs = blocks.some((block) => block.kind === 'left' && block.why === 'comment' && block.written === OURS)
  }

  read(): MarkdownPlan {
    this.#gather()
    const drafts = this.#withoutPlain()
    const titles = this.#groupTitles(drafts)
    const steps = this.#steps(drafts, titles)
    const groups = new Map<string, boolean>()
    for (const heading of this.#headings) {
      if (!heading.isUsed && !heading.isVerified && !this.#isOurs) {
        this.#leave(heading.line, 'heading', heading.title)
        continue
      }
      const title = titles.get(heading) ?? heading.title
      groups.set(title, (groups.get(title) ?? false) || heading.isVerified)
    }
    for (const { group } of steps) if (group !== null && !groups.has(group)) groups.set(group, false)
    return {
      title: this.#title,
      groups: [...groups].map(([title, testsVerified]) => ({ title, testsVerified })),
      steps,
      leftOut: this.#leftOut.toSorted((a, b) => a.line - b.line),
      notes: this.#notes.toSorted((a, b) => a.line - b.line),
    }
  }

  #leave(line: number, why: Why, text: string, end = line): void {
    this.#leftOut.push({ line, end, why: WHYS[why], text })
  }

  /** What each block is, with the items nested. */
  #gather(): void {
    let heading: Heading | null = null
    let above: Heading[] = []
    let stack: Draft[] = []
    for (const block of this.#blocks) {
      if (block.kind === 'left') {
        if (block.written !== OURS) this.#leave(block.line, block.why, block.written, block.end)
      } else if (block.kind === 'noGroup') heading = null
      else if (block.kind === 'heading') {
        stack = []
        const { text, attributes } = takeAttributes(block.written.trim())
        const title = decodeText(text)
        const isFirst = this.#title === null && this.#headings.length + this.#drafts.length === 0
        if (title === '') continue
        if (block.level === 1 && isFirst) {
          this.#title = title
          continue
        }
        above = above.filter(({ level }) => level < block.level)
        const path = [...above.map((one) => one.title), title]
        heading = {
          line: block.line,
          level: block.level,
          title,
          path,
          isVerified: attributes.isVerified,
          isUsed: false,
        }
        above.push(heading)
        this.#headings.push(heading)
      } else if (block.kind === 'note') {
        const draft = stack.findLast(({ item }) => item.indent < block.indent) ?? stack.at(-1)
        draft?.notes.push(...block.lines.map((line) => (block.isQuote ? decodeText(line) : line)))
      } else {
        // Under the bullet above means two columns further in; one is a slip of the hand.
        stack = stack.slice(0, stack.findLastIndex(({ item }) => block.indent >= item.indent + 2) + 1)
        const [, name, value] = block.mark === null ? (FACT.exec(block.written.join('\n')) ?? []) : []
        const parent = stack.at(-1)
        if (parent !== undefined && name !== undefined && value !== undefined)
          parent.facts.set(name.toLowerCase() === 'depends' ? 'depends on' : name.toLowerCase(), value)
        else stack.push(this.#draft(block, heading, stack.length))
      }
    }
  }

  #draft(item: Item, heading: Heading | null, nesting: number): Draft {
    const [last = '', ...others] = item.written.toReversed()
    const { text, attributes } = takeAttributes(last)
    const lines = [...others.toReversed(), text].map(decodeText)
    const draft = {
      item,
      text: lines.join('\n'),
      attributes,
      heading: nesting === 0 ? heading : null,
      depth: attributes.depth ?? nesting,
      notes: [],
      facts: new Map<string, string>(),
    }
    this.#drafts.push(draft)
    return draft
  }

  /** Where the file has checkboxes, a bullet without one is a step if tasks stand below it, else it tells of the step above. */
  #withoutPlain(): Draft[] {
    const hasBoxes = this.#drafts.some(({ item }) => item.mark !== null)
    const isStep = new Set<Draft>()
    let path: Draft[] = []
    for (const draft of this.#drafts) {
      path = [...path.filter(({ depth }) => depth < draft.depth), draft]
      if (!hasBoxes || draft.item.mark !== null) for (const one of path) isStep.add(one)
    }
    path = []
    return this.#drafts.flatMap((draft, i): Draft[] => {
      path = [...path.filter(({ depth }) => depth < draft.depth), draft]
      const { item, depth, text, notes } = draft
      if (isStep.has(draft)) {
        if (text.trim() !== '') return [draft]
        if ((this.#drafts[i + 1]?.depth ?? 0) > depth) {
          this.#notes.push({ line: item.line, text: 'a step without text, which others stand below, was given some' })
          return [{ ...draft, text: '(no text)' }]
        }
        this.#leave(item.line, 'empty', '')
        return []
      }
      const owner = path.findLast((one) => isStep.has(one))
      if (owner === undefined) this.#leave(item.line, 'bullet', text)
      else owner.notes.push(`${'  '.repeat(depth - owner.depth - 1)}- ${text}`, ...notes)
      return []
    })
  }

  /** Equal titles under different headings are told apart by those. */
  #groupTitles(drafts: readonly Draft[]): Map<Heading, string> {
    const paths = new Map<string, Set<string>>()
    for (const { heading } of drafts) {
      if (heading === null) continue
      heading.isUsed = true
      paths.set(heading.title, (paths.get(heading.title) ?? new Set()).add(heading.path.join('\n')))
    }
    return new Map(
      this.#headings.map((heading) => {
        const isClear = this.#isOurs || (paths.get(heading.title)?.size ?? 0) < 2
        return [heading, isClear ? heading.title : heading.path.join(' / ')]
      }),
    )
  }

  #steps(drafts: readonly Draft[], titles: ReadonlyMap<Heading, string>): MarkdownStep[] {
    const names = new Map<string, number>()
    drafts.forEach(({ attributes, facts, text }, i) => {
      const task = this.#isOurs ? undefined : TASK_NAME.exec(text)?.[1]
      for (const name of [facts.get('id'), task]) if (name !== undefined && !names.has(name)) names.set(name, i)
      if (attributes.label !== null) names.set(`#${attributes.label}`, i)
    })
    let depth = -1
    return drafts.map((draft): MarkdownStep => {
      depth = Math.max(0, Math.min(draft.depth, depth + 1))
      const { item, text, attributes, heading, notes, facts } = draft
      const { mark, line } = item
      const status = STATUS[mark ?? ' ']
      if (status === undefined)
        this.#notes.push({ line, text: `the mark [${mark}] is not known, and was read as pending` })
      const own = facts.get('group')
      const alias = facts.get('id') ?? (this.#isOurs ? undefined : TASK_NAME.exec(text)?.[1])
      return {
        line,
        text,
        depth,
        status: status ?? 'pending',
        details: notes.join('\n'),
        required: attributes.isRequired,
        group: own !== undefined ? decodeText(own) : heading === null ? null : (titles.get(heading) ?? heading.title),
        owner: decodeText(facts.get('owner') ?? '') || null,
        alias: alias === undefined ? null : decodeText(alias),
        dependencies: this.#dependencies(draft, names, drafts.length),
      }
    })
  }

  #dependencies({ item, text, facts }: Draft, names: ReadonlyMap<string, number>, steps: number): MarkdownDependency[] {
    const found: MarkdownDependency[] = []
    for (const [quoted_] of (facts.get('depends on') ?? '').matchAll(/"(?:[^"\\]|\\.)*"|[^,]+/g)) {
      const word = quoted_.trim()
      if (word === '') continue
      const step = names.get(word) ?? placeNamed(word, steps)
      if (word.startsWith('"')) found.push({ name: unquoted(word) })
      else if (step !== undefined) found.push({ step })
      else if (/^a removed step$|^#\d+$/.test(word))
        this.#notes.push({ line: item.line, text: `it depends on ${word}, which is not in the file: left out` })
      else found.push({ name: decodeText(word) })
    }
    // Only what is meant for sure: the words stay in the text.
    const said = this.#isOurs ? '' : (DEPENDS_ON.exec(text)?.[1] ?? '')
    for (const [name] of said.matchAll(/T\d{2,5}/g)) {
      const step = names.get(name)
      if (step !== undefined && !found.some((one) => 'step' in one && one.step === step)) found.push({ step })
    }
    return found
  }
}

/** `task-3` is the third step of a file, as plan_load_from_md counts. */
function placeNamed(name: string, steps: number): number | undefined {
  const number = Number(/^task-(\d{1,6})$/.exec(name)?.[1] ?? 0)
  return number >= 1 && number <= steps ? number - 1 : undefined
}

function unquoted(word: string): string {
  try {
    return String(JSON.parse(word))
  } catch {
    return word
  }
}
