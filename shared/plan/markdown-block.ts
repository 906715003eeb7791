import type { TableRow } from './markdown-table.ts'

/** One thing of a Markdown file, with the 1-based line that it begins at. */
export type Block =
  | { readonly kind: 'heading'; readonly line: number; readonly level: number; readonly written: string }
  | Item
  /** What is said of the item above: a quotation, a paragraph, code. `lines` are decoded where they were written by us. */
  | {
      readonly kind: 'note'
      readonly line: number
      readonly indent: number
      readonly lines: readonly string[]
      readonly isQuote: boolean
    }
  | { readonly kind: 'noGroup'; readonly line: number }
  | { readonly kind: 'left'; readonly line: number; readonly end: number; readonly why: Why; readonly written: string }

export interface Item {
  readonly kind: 'item'
  readonly line: number
  /** Columns before the bullet. */
  readonly indent: number
  /** What it begins with: a sign, a number, or nothing. */
  readonly bullet: string
  /** Between the brackets, or the sign or the word that stands for them; null where there is none. */
  readonly mark: string | null
  /** Where it is a row of a table: what its columns say. */
  readonly row?: TableRow
  /** Lines of the text, not yet decoded. */
  readonly written: string[]
}

export const WHYS = {
  text: 'text that belongs to no step',
  quote: 'a quotation that belongs to no step',
  fence: 'inside a code fence',
  comment: 'a comment',
  matter: 'front matter',
  bullet: 'a bullet without a checkbox, in a file that has checkboxes',
  heading: 'a heading with no steps under it',
  empty: 'a step without text',
} as const
export type Why = keyof typeof WHYS
