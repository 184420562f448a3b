/** Longer patterns are refused: the time of a match grows with the length of the pattern. */
const LONGEST_PATTERN = 255
/** How many patterns the braces of one may stand for. */
const MOST_ALTERNATIVES = 64

/** A comma or a closing brace outside of braces means itself. */
type Token = '*' | '{' | ',' | '}' | ((character: string) => boolean)

/**
 * Reads a glob for names: `*`, `?`, `[a-z]`, `[!a-z]`, `{jpg,png}`, and `\\` before a character that means itself. A match
 * takes time in proportion to the product of both lengths, never more: a title may have any length.
 *
 * @throws TypeError that completes a sentence about the pattern
 */
export function parseGlob(pattern: string): (name: string) => boolean {
  if (pattern === '') throw new TypeError('is empty')
  if (pattern.length > LONGEST_PATTERN) {
    throw new TypeError(`has ${pattern.length.toLocaleString('en')} characters, and may have ${LONGEST_PATTERN}`)
  }
  const alternatives: (readonly Token[])[] = []
  for (const tokens of alternativesOf(tokensOf(unified(pattern)))) {
    alternatives.push(tokens.filter((token, index) => token !== '*' || tokens[index - 1] !== '*'))
    if (alternatives.length > MOST_ALTERNATIVES) throw new TypeError(`means more than ${MOST_ALTERNATIVES} patterns`)
  }
  return (name) => {
    const characters = unified(name)
    return alternatives.some((tokens) => fits(characters, tokens))
  }
}

/** Some systems write `é` in names as one character, others as two. */
function unified(text: string): readonly string[] {
  return [...text.normalize('NFC')]
}

function tokensOf(characters: readonly string[]): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; ) {
    const { token, end } = readToken(characters, at)
    tokens.push(token)
    at = end
  }
  return tokens
}

function readToken(characters: readonly string[], at: number): { readonly token: Token; readonly end: number } {
  const character = characters[at] ?? ''
  if (character === '*' || character === '{' || character === ',' || character === '}') {
    return { token: character, end: at + 1 }
  }
  if (character === '?') return { token: () => true, end: at + 1 }
  if (character === '[') return readSet(characters, at)
  if (character !== '\\') return { token: (one) => one === character, end: at + 1 }
  const meant = characters[at + 1]
  if (meant === undefined) throw new TypeError('ends with a \\ that stands before nothing')
  return { token: (one) => one === meant, end: at + 2 }
}

/** A `]` that comes first in a set means itself. */
function readSet(characters: readonly string[], open: number): { readonly token: Token; readonly end: number } {
  const isNegated = characters[open + 1] === '!' || characters[open + 1] === '^'
  const start = open + (isNegated ? 2 : 1)
  const end = characters.indexOf(']', start + 1)
  if (end < 0) throw new TypeError('has a [ without its ]')
  const ranges = rangesOf(characters.slice(start, end))
  const isInSet = (one: string) => ranges.some(([from, to]) => codeOf(one) >= codeOf(from) && codeOf(one) <= codeOf(to))
  return { token: (one) => isInSet(one) !== isNegated, end: end + 1 }
}

function rangesOf(members: readonly string[]): readonly (readonly [from: string, to: string])[] {
  const ranges: (readonly [string, string])[] = []
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? ''
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    const to = isRange ? (members[at + 2] ?? from) : from
    if (codeOf(from) > codeOf(to)) throw new TypeError(`has the range ${from}-${to}, which runs backwards`)
    ranges.push([from, to])
    if (isRange) at += 2
  }
  return ranges
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

/** The patterns without braces that one with braces means, one at a time: there may be very many. */
function* alternativesOf(tokens: readonly Token[]): Generator<readonly Token[]> {
  const open = tokens.indexOf('{')
  if (open < 0) return yield tokens
  const borders = bordersOf(tokens, open)
  const [before, after] = [tokens.slice(0, open), tokens.slice((borders.at(-1) ?? 0) + 1)]
  for (const [index, border] of borders.slice(0, -1).entries()) {
    yield* alternativesOf([...before, ...tokens.slice(border + 1, borders[index + 1]), ...after])
  }
}

/** The places of a brace, of its own commas, and of the brace that closes it. */
function bordersOf(tokens: readonly Token[], open: number): readonly number[] {
  const borders = [open]
  let depth = 1
  for (let at = open + 1; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === '{') depth += 1
    if (token === '}') depth -= 1
    if (depth === 0) return [...borders, at]
    if (token === ',' && depth === 1) borders.push(at)
  }
  throw new TypeError('has a { without its }')
}

/** Lets the last star take one character more wherever the rest does not fit: an earlier star never needs to. */
function fits(characters: readonly string[], tokens: readonly Token[]): boolean {
  let at = 0
  let index = 0
  let star: { readonly index: number; at: number } | undefined
  while (at < characters.length) {
    const token = tokens[index]
    if (token === '*') {
      star = { index, at }
      index += 1
    } else if (isMeant(characters[at] ?? '', token)) {
      at += 1
      index += 1
    } else {
      if (star === undefined) return false
      star.at += 1
      at = star.at
      index = star.index + 1
    }
  }
  return tokens.slice(index).every((rest) => rest === '*')
}

function isMeant(character: string, token: Token | undefined): boolean {
  return typeof token === 'function' ? token(character) : token === character
}
