/** A glob that has been read: `*`, `?`, `[a-z]`, `{a,b}`, and `**` as a whole folder of a path. */
export interface Glob {
  /** The time for a match grows with the length of the glob times that of the path, for every glob. */
  matches(path: string): boolean
}

/** As long as the longest path on Linux. */
const MOST_CHARACTERS = 4_096

/**
 * Reads a glob. A backslash takes the character after it literally. `*` and `?` stand for no slash, `**` between slashes for
 * any number of folders.
 *
 * @throws TypeError if it is empty, too long or too deep, or a bracket or brace is not closed
 */
export function parseGlob(text: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}): Glob {
  // A Mac writes names in another form than keyboards do.
  const normal = (path: string) => [...(ignoreCase ? path.toLowerCase() : path).normalize('NFC')]
  if (text === '') throw new TypeError('a glob must not be empty')
  if (text.length > MOST_CHARACTERS) {
    throw new TypeError(`a glob has at most ${MOST_CHARACTERS.toLocaleString('en')} characters`)
  }
  const whole = parse(normal(text))
  return {
    matches(path) {
      const characters = normal(path)
      return whole(characters, new Set([0])).has(characters.length)
    },
  }
}

/** A part of a glob: where it may end in a path, given all the places where it may begin. So no path makes it go back. */
type Part = (path: readonly string[], from: ReadonlySet<number>) => ReadonlySet<number>

type Accepts = (character: string) => boolean

const isNoSlash: Accepts = (character) => character !== '/'
const isAny: Accepts = () => true
const literal = (wanted: string) => one((character) => character === wanted)

function one(accepts: Accepts): Part {
  return (path, from) => new Set([...from].flatMap((at) => (isAccepted(path[at], accepts) ? [at + 1] : [])))
}

function anyNumberOf(accepts: Accepts): Part {
  return (path, from) => {
    const reached = new Set(from)
    // A set also goes through what is added meanwhile.
    for (const at of reached) if (isAccepted(path[at], accepts)) reached.add(at + 1)
    return reached
  }
}

function isAccepted(character: string | undefined, accepts: Accepts): boolean {
  return character !== undefined && accepts(character)
}

function inSequence(parts: readonly Part[]): Part {
  return (path, from) => {
    let reached = from
    for (const part of parts) if (reached.size > 0) reached = part(path, reached)
    return reached
  }
}

function eitherOf(parts: readonly Part[]): Part {
  return (path, from) => {
    const reached = new Set<number>()
    for (const part of parts) for (const at of part(path, from)) reached.add(at)
    return reached
  }
}

/** Any number of folders, each with its slash. */
const folders = eitherOf([inSequence([]), inSequence([anyNumberOf(isAny), literal('/')])])

function parse(glob: readonly string[]): Part {
  let at = 0

  /** @param depth in how many braces it is */
  function sequence(depth: number): Part {
    const parts: Part[] = []
    for (let next = glob[at]; next !== undefined; next = glob[at]) {
      if (depth > 0 && (next === ',' || next === '}')) break
      parts.push(next === '*' ? stars() : part(next, depth))
    }
    return inSequence(parts)
  }

  function part(character: string, depth: number): Part {
    at += 1
    if (character === '?') return one(isNoSlash)
    if (character === '[') return characterClass()
    if (character === '{') return brace(depth + 1)
    if (character !== '\\') return literal(character)
    const escaped = glob[at]
    at += 1
    if (escaped === undefined) throw new TypeError('the backslash at its end has nothing to take literally')
    return literal(escaped)
  }

  function stars(): Part {
    const start = at
    while (glob[at] === '*') at += 1
    const next = glob[at]
    const isFolder = at - start > 1 && ['/', '{', ',', undefined].includes(glob[start - 1])
    if (!isFolder || !['/', '}', ',', undefined].includes(next)) return anyNumberOf(isNoSlash)
    if (next !== '/') return anyNumberOf(isAny)
    at += 1
    return folders
  }

  function brace(depth: number): Part {
    const unclosed = 'the brace { is not closed: write {a,b}, or \\{ for the character'
    // Of more braces than half of the characters, one is not closed.
    if (depth > glob.length / 2) throw new TypeError(unclosed)
    const alternatives: Part[] = []
    for (let end: string | undefined = ','; end === ','; at += 1) {
      alternatives.push(sequence(depth))
      end = glob[at]
      if (end === undefined) throw new TypeError(unclosed)
    }
    return eitherOf(alternatives)
  }

  /** A `]` at its beginning is one of its characters. */
  function characterClass(): Part {
    const isNegated = glob[at] === '!' || glob[at] === '^'
    if (isNegated) at += 1
    const ranges = [classRange()]
    while (glob[at] !== ']') ranges.push(classRange())
    at += 1
    const isListed = (character: string) => ranges.some(([low, high]) => low <= character && character <= high)
    return one((character) => character !== '/' && isNegated !== isListed(character))
  }

  function classRange(): readonly [low: string, high: string] {
    const low = classCharacter()
    if (glob[at] !== '-' || glob[at + 1] === ']') return [low, low]
    at += 1
    const high = classCharacter()
    if (high < low) throw new TypeError(`the range ${low}-${high} runs backwards`)
    return [low, high]
  }

  function classCharacter(): string {
    if (glob[at] === '\\') at += 1
    const character = glob[at]
    at += 1
    if (character !== undefined) return character
    throw new TypeError('the bracket [ is not closed: write [a-z], or \\[ for the character')
  }

  return sequence(0)
}
