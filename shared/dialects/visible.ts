/**
 * Characters that show nothing, or turn around what stands beside them. A model reads them all the same: whole sentences
 * hide in tag characters and variation selectors, and what a person approves is not what an agent is told.
 */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Where they do what they are for: emoji of several parts, the flags of three countries, scripts that join, and variants. */
const MEANT = [
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu,
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}])[\u200c\u200d](?=\p{L}|\p{M})/gu,
  /(?<=[\p{Extended_Pictographic}\p{Emoji}])[\ufe0e\ufe0f]/gu,
  /(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}](?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])/gu,
] as const

/** The same text with what cannot be seen written as `<U+202E>`, which needs no escape inside of JSON. */
export function visible(text: string): string {
  if (text.search(HIDDEN) < 0) return text
  const kept = new Set<number>()
  for (const pattern of MEANT)
    for (const { index, 0: found } of text.matchAll(pattern))
      for (let at = index; at < index + found.length; at++) kept.add(at)
  return text.replaceAll(HIDDEN, (character, at: number) => (kept.has(at) ? character : escaped(character)))
}

const escaped = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`
