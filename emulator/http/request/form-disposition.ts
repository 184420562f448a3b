/**
 * Reads the names in a part's Content-Disposition, one character per byte, as PHP does: text before the first `name` is ignored, quotes are double, single or
 * missing, the last of several values counts, and only `filename` is a file name, not `filename*`.
 */
export function readDisposition(header: string) {
  let name: string | undefined
  let fileName: string | undefined
  // A NUL ends PHP's strings.
  const [text = ''] = header.split('\0', 1)
  for (let at = afterBlanks(text, 0); at < text.length; ) {
    const end = wordEnd(text, at, ';')
    const equals = wordEnd(text, at, '=', end)
    const key = text.slice(at, equals).toLowerCase()
    if (equals < end && key === 'name') name = unquoted(text.slice(equals, end))
    if (equals < end && key === 'filename') fileName = unquoted(text.slice(equals, end))
    at = afterBlanks(text, after(text, end, ';'))
  }
  return { name, fileName }
}

/** The end of a word: the next `sign` outside quotes, or the limit. */
function wordEnd(text: string, from: number, sign: string, limit = text.length): number {
  let at = from
  while (at < limit && text[at] !== sign) {
    const quote = text[at]
    at += 1
    if (quote !== '"' && quote !== "'") continue
    while (at < limit && text[at] !== quote) at += text[at] === '\\' && text[at + 1] === quote ? 2 : 1
    at += 1
  }
  return Math.min(at, limit)
}

function after(text: string, from: number, sign: string): number {
  let at = from
  while (text[at] === sign) at += 1
  return at
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at += 1
  return at
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /[\t-\r ]/.test(character)
}

/** A value up to its closing quote, or its first blank if unquoted; a backslash escapes a quote. */
function unquoted(word: string): string {
  const from = afterBlanks(word, after(word, 0, '='))
  const [quote] = word.slice(from, from + 1).match(/["']/) ?? []
  let value = ''
  for (let at = quote === undefined ? from : from + 1; at < word.length; at += 1) {
    const character = word[at]
    if (quote === undefined ? isBlank(character) : character === quote) break
    const next = word[at + 1]
    if (character === '\\' && (next === '\\' || (quote !== undefined && next === quote))) at += 1
    value += word[at]
  }
  return value
}
