/** A sequence that colours, which takes no room. */
// eslint-disable-next-line no-control-regex -- that is what is looked for
const SEQUENCE = /(\u001b\[[0-9;]*m)/
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60])/u
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const widthOf = (grapheme: string): number => (NONE.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1)

/** A line as far as it fits into so many columns, with its colours ended where it is cut. */
export function cutToWidth(line: string, columns: number): string {
  let [room, kept, isPainted] = [columns, '', false]
  // Where one column is left, it is the last that may be needed for the sign of the cut.
  let atLimit = ''
  for (const part of line.split(SEQUENCE)) {
    if (SEQUENCE.test(part)) {
      kept += part
      isPainted = true
      continue
    }
    for (const { segment } of graphemes.segment(part)) {
      const width = widthOf(segment)
      if (width > room) return `${atLimit === '' ? kept : atLimit}…${isPainted ? '\u001b[0m' : ''}`
      if (room - width < 1 && atLimit === '') atLimit = kept
      kept += segment
      room -= width
    }
  }
  return kept
}
