let counted = { text: '', bytes: 0 }

/** The length of a text in UTF-8. It is asked several times of each answer, and counted once. */
export function byteLengthOf(text: string): number {
  if (text !== counted.text) counted = { text, bytes: Buffer.byteLength(text) }
  return counted.bytes
}

/** Whether each letter of a text is one byte of its UTF-8. */
export function isAscii(text: string): boolean {
  return byteLengthOf(text) === text.length
}
