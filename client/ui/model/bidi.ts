/**
 * A text without the characters that turn around what follows them (U+202A to U+202E, U+2066 to U+2069): for wherever
 * it becomes part of a sentence or an attribute, and no element can keep it apart.
 */
export const plain = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
