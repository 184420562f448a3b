/** What a terminal sends around a pasted text (bracketed paste). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const pasteMark = /\u001b\[20[01]~/g

/** What copying brings along at both ends: blanks, line breaks, quotes, angle brackets, letters that are not seen. */
const wrapping = /[\s'"`<>“”„‘’«»\p{Cc}\p{Cf}]/u

/** A text as it was copied, without what stands around it. */
export function unwrapPasted(text: string): string {
  const bare = text.replace(pasteMark, '')
  let [start, end] = [0, bare.length]
  while (start < end && wrapping.test(bare.charAt(start))) start += 1
  while (start < end && wrapping.test(bare.charAt(end - 1))) end -= 1
  return bare.slice(start, end)
}
