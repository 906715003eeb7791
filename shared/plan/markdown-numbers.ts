import type { Block, Item } from './markdown-block.ts'

/** Columns that a level is further in. */
const LEVEL = 2
/** A number before a text, as in `1.2 Text`; one without dots needs one behind it. */
const NUMBER = /^(?:(\d{1,4}(?:\.\d{1,4})+)[.)]?|(\d{1,4})[.)])(?=\s)/

/** An item that later ones may stand below. */
interface Base {
  readonly indent: number
  readonly number: string | null
  /** Columns that it was moved further in. */
  readonly shift: number
}

/** The number that an item bears, as its bullet or at the beginning of its text. */
export function numberOf({ bullet, written }: Pick<Item, 'bullet' | 'written'>): string | null {
  const [, dotted, plain] = NUMBER.exec(`${bullet} `) ?? NUMBER.exec(written[0] ?? '') ?? []
  return dotted ?? plain ?? null
}

/** Whether a number is the first below another or follows it, such as 1.1 and 1.2 and 2 do. */
export function continues(number: string, before: string): boolean {
  const [parts, others] = [number.split('.'), before.split('.')]
  const last = Number(parts.pop())
  if (last === 1 && parts.join('.') === before) return true
  return others.slice(0, parts.length).join('.') === parts.join('.') && last === Number(others[parts.length]) + 1
}

/**
 * Items that stand at one indent and nest by their numbers alone, such as 1, 1.1 and 1.2, are moved further in, and what
 * belongs to them with them.
 */
export function nestByNumbers(blocks: readonly Block[]): Block[] {
  let bases: Base[] = []
  return blocks.map((block): Block => {
    if (block.kind === 'heading') bases = []
    if (block.kind === 'note') {
      const shift = bases.findLast(({ indent }) => indent < block.indent)?.shift ?? 0
      return { ...block, indent: block.indent + shift }
    }
    if (block.kind !== 'item') return block
    const { indent } = block
    const number = numberOf(block)
    const above = bases.findLast((base) => base.indent < indent)?.shift ?? 0
    const parent =
      number === null ? undefined : bases.findLast((base) => base.indent === indent && isBelow(number, base.number))
    const shift = parent === undefined ? above : parent.shift + LEVEL
    bases = [
      ...bases.filter((base) => base.indent < indent || (base.indent === indent && base.shift < shift)),
      { indent, number, shift },
    ]
    return { ...block, indent: indent + shift }
  })
}

const isBelow = (number: string, other: string | null): boolean =>
  other !== null && number.slice(0, number.lastIndexOf('.')) === other && number.includes('.')
