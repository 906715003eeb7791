/** How the texts of a plan stand in lines of Markdown, so that they are read again as they were. */

/** What follows a text: a label for others to name it by, and marks. Nothing else in braces is taken for it. */
const ATTRIBUTE = String.raw`(?:#\d{1,9}|depth=\d{1,5}|required|tests-verified)`
const ATTRIBUTES = new RegExp(String.raw`(?:^|\s)\{(${ATTRIBUTE}(?:\s+${ATTRIBUTE})*)\}\s*$`)
/** What would begin something else at the beginning of a line. */
const BLOCK_START = /^(?:[-*+•‣◦–>#=|[]|\d{1,9}[.)]|`{3}|~{3}|_{3}|<!--)/
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]|\p{Surrogate}/gu
/** A backslash counts as itself but before these, and before what is written as a number. */
// eslint-disable-next-line no-control-regex
const BACKSLASH = /\\(?=[\\{&\s\u0000-\u001f\u007f-\u009f]|\p{Surrogate}|$)/gu

const asNumber = (char: string): string => `&#${char.codePointAt(0) ?? 0};`

/** A text on one line. */
export function encodeLine(text: string): string {
  const encoded = text
    .replace(BACKSLASH, '\\\\')
    .replace(/&(?=#(?:\d{1,7}|x[0-9a-f]{1,6});)/gi, '\\&')
    .replace(CONTROL, asNumber)
    .replace(/^\s|\s$/g, asNumber)
  return ATTRIBUTES.test(encoded) ? encoded.replace(/\{(?=[^{]*$)/, '\\{') : encoded
}

/** A text over as many lines as it has, each but the last with the backslash that breaks a line in Markdown. */
export function encodeLines(text: string): string[] {
  const ends = /\n*$/.exec(text)?.[0].length ?? 0
  const lines = text.slice(0, text.length - ends).split('\n')
  return lines.map((line, i) => {
    const encoded = encodeLine(line)
    const isLast = i === lines.length - 1
    const safe = i > 0 && BLOCK_START.test(encoded) ? asNumber(encoded) + encoded.slice(1) : encoded
    return isLast ? safe + '&#10;'.repeat(ends) : `${safe}\\`
  })
}

/** A heading, in which a row of # at the end would not count. */
export const encodeHeading = (title: string): string => encodeLine(title).replace(/(^|\s)(#*)#$/, '$1$2&#35;')

/** What was written by one of the above, or by anybody. */
export function decodeText(written: string): string {
  return written.replace(
    /\\([\\{&])|&#(?:(\d{1,7})|x([0-9a-f]{1,6}));/gi,
    (all, escaped?: string, decimal?: string, hex?: string) => {
      if (escaped !== undefined) return escaped
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code <= 0x10_ffff ? String.fromCodePoint(code) : all
    },
  )
}

/** Whether a line ends with the backslash that breaks it. */
export const isBroken = (line: string): boolean => (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1

export interface Attributes {
  /** The number after #. */
  readonly label: number | null
  readonly depth: number | null
  readonly isRequired: boolean
  readonly isVerified: boolean
}

/** Takes the attributes off the end of what was written, not yet decoded. */
export function takeAttributes(written: string): { text: string; attributes: Attributes } {
  const match = ATTRIBUTES.exec(written)
  const words = match?.[1]?.split(/\s+/) ?? []
  const number = (prefix: string): number | null => {
    const word = words.find((one) => one.startsWith(prefix))
    return word === undefined ? null : Number(word.slice(prefix.length))
  }
  return {
    text: match === null ? written : written.slice(0, match.index),
    attributes: {
      label: number('#'),
      depth: number('depth='),
      isRequired: words.includes('required'),
      isVerified: words.includes('tests-verified'),
    },
  }
}

export const attributes = (words: readonly (string | null)[]): string => {
  const all = words.filter((word) => word !== null)
  return all.length === 0 ? '' : ` {${all.join(' ')}}`
}
