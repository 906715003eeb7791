import type { Status } from '../schema/plan.ts'
import type { Block, Item, Why } from './markdown-block.ts'
import { WHYS } from './markdown-block.ts'
import { blocksOf } from './markdown-blocks.ts'
import { dependenciesOf, type MarkdownDependency, nameIn, takeObsidian } from './markdown-dependencies.ts'
import type { LeftOut, MarkdownPlan, MarkdownStep } from './markdown-file.ts'
import type { FrontMatter } from './markdown-front-matter.ts'
import { statusOfMark } from './markdown-marks.ts'
import { nestByNumbers } from './markdown-numbers.ts'
import type { Attributes } from './markdown-text.ts'
import { decodeText, takeAttributes } from './markdown-text.ts'
import { underFrontMatter } from './markdown-whole.ts'
import { OURS } from './markdown.ts'

const FACT = /^(depends on|depends|owner|group|id):\s+(.*)$/is
/** What `[-]` means differs from program to program. */
export const UNSURE = 'the mark [-] was read as cancelled'
/** How Kiro writes what a task is for: its files say with `[-]` what is in progress. */
const KIRO = /^_Requirements?: .*_$/m

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
  readonly #matter: FrontMatter | null
  readonly #lost: number
  #title: string | null = null
  /** Whether `[-]` means in progress. */
  #isKiros = false

  constructor(text: string) {
    const { blocks, notes, matter, isOurs, lost } = blocksOf(text)
    this.#blocks = isOurs ? blocks : nestByNumbers(blocks)
    this.#notes = [...notes]
    this.#isOurs = isOurs
    this.#matter = matter
    this.#lost = lost
    this.#title = matter?.title ?? null
  }

  read(): MarkdownPlan {
    this.#gather()
    const drafts = this.#withoutPlain()
    const titles = this.#groupTitles(drafts)
    this.#isKiros =
      !this.#isOurs && drafts.some(({ notes }) => notes.some((note) => KIRO.test(note.replace(/^[-\s]+/, ''))))
    const steps = underFrontMatter(this.#steps(drafts, titles), this.#matter)
    const unknown = this.#matter?.unknownStatus ?? null
    if (unknown !== null) this.#note(1, `the status "${unknown}" of the front matter is not known, and was left out`)
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
      items: { all: this.#drafts.length + this.#lost, leftOut: this.#lost + this.#leftOut.filter(isItem).length },
    }
  }

  #note(line: number, text: string): void {
    this.#notes.push({ line, text })
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
    const facts = new Map<string, string>(item.row?.facts)
    const own = this.#isOurs ? text : takeObsidian(text, (name, value) => facts.set(name, value))
    const lines = [...others.toReversed(), own].map(decodeText)
    const draft = {
      item,
      text: lines.join('\n'),
      attributes,
      heading: nesting === 0 ? heading : null,
      depth: attributes.depth ?? nesting,
      notes: [...(item.row?.notes ?? [])],
      facts,
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
          this.#note(item.line, 'a step without text, which others stand below, was given some')
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
      const task = this.#isOurs ? undefined : nameIn(text)
      for (const name of [facts.get('id'), task]) if (name !== undefined && !names.has(name)) names.set(name, i)
      if (attributes.label !== null) names.set(`#${attributes.label}`, i)
    })
    let depth = -1
    return drafts.map((draft, i): MarkdownStep => {
      depth = Math.max(0, Math.min(draft.depth, depth + 1))
      const { item, attributes, heading, notes, facts } = draft
      const { line } = item
      const status = this.#statusOf(drafts, i)
      // What a mark means that is not known, somebody knows.
      const text = status === undefined && item.row === undefined ? `[${item.mark}] ${draft.text}` : draft.text
      const own = facts.get('group')
      const alias = facts.get('id') ?? (this.#isOurs ? undefined : nameIn(text))
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

  /** @returns undefined for a mark, or a word in a table, that is not known */
  #statusOf(drafts: readonly Draft[], at: number): Status | undefined {
    const { item, depth } = drafts[at] as Draft
    const { mark, line, row } = item
    if (row !== undefined) {
      if (row.status === undefined) this.#note(line, 'the status is not known, and was read as pending')
      return row.status
    }
    if (mark === '-' && !this.#isOurs) {
      const end = drafts.findIndex((other, i) => i > at && other.depth <= depth)
      const below = drafts.slice(at + 1, end === -1 ? drafts.length : end)
      const isOpen = (draft: Draft): boolean =>
        ['pending', 'in_progress'].includes(statusOfMark(draft.item.mark ?? ' ') ?? '')
      if (this.#isKiros || below.some(isOpen)) return 'in_progress'
      this.#note(line, UNSURE)
    }
    const status = statusOfMark(mark ?? ' ')
    if (status === undefined)
      this.#note(line, `the mark [${mark}] is not known: it was read as pending, and stays in the text`)
    return status
  }

  #dependencies({ item, text, facts }: Draft, names: ReadonlyMap<string, number>, steps: number): MarkdownDependency[] {
    const written = facts.get('depends on') ?? ''
    return dependenciesOf({ text, written, names, steps, readsText: !this.#isOurs }, (word) =>
      this.#note(item.line, `it depends on ${word}, which is not in the file: left out`),
    )
  }
}

const isItem = ({ why }: LeftOut): boolean => why === WHYS.bullet || why === WHYS.empty
