/** What a part's Content-Disposition says of it, a character per byte; undefined where it does not say it. */
export interface Disposition {
  readonly name: string | undefined
  readonly fileName: string | undefined
}

/**
 * Reads a Content-Disposition as PHP does: the words before the first `name` do not matter, quotes are double, single
 * or none, the last of several counts, and what is not called `filename`, such as `filename*`, is no file name.
 */
export function readDisposition(header: string): Disposition {
  let name: string | undefined
  let fileName: string | undefined
  // PHP's strings end at a NUL.
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

/** Where a word ends: at a sign that stands in no quotes, or at the end. */
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

/** A value up to its closing quote, or its first blank where it has no quotes; a backslash shields a quote. */
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
