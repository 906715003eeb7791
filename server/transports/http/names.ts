/**
 * A name out of a header. Node reads it byte by byte: where the bytes are UTF-8 beyond ASCII, as curl sends it, that is
 * what was meant. fetch and Python send no such bytes, so their callers encode the name: by RFC 8187, or in percents.
 * @returns null for a value that is in the form of RFC 8187 and cannot be read
 */
export function nameInHeader(value: string): string | null {
  const text = asUtf8(value)
  const [, charset, encoded] = /^(utf-8|iso-8859-1)'[A-Za-z0-9-]*'(.*)$/i.exec(text) ?? []
  if (charset === undefined || encoded === undefined) return percentDecoded(text) ?? text
  return percentDecoded(encoded, charset)
}

function asUtf8(value: string): string {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/** @returns null where a percent sign begins no byte, or the bytes are none of the character set */
function percentDecoded(text: string, charset = 'utf-8'): string | null {
  if (/%(?![0-9a-f]{2})/i.test(text)) return null
  const parts = text.split(/((?:%[0-9a-f]{2})+)/i)
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    return parts
      .map((part) => (part.startsWith('%') ? decoder.decode(Buffer.from(part.replaceAll('%', ''), 'hex')) : part))
      .join('')
  } catch {
    return null
  }
}
