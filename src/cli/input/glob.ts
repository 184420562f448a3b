/** A glob that has been read: `*`, `?`, `[a-z]`, `{a,b}`, and `**` as a whole folder of a path. */
export interface Glob {
  /** The time for a match grows with the length of the glob times that of the path, for every glob. */
  matches(path: string): boolean
}

export interface GlobOptions {
  readonly ignoreCase?: boolean
}

/** A step on the way through a glob. */
interface Step {
  /** The characters that lead to the next step; undefined if the step leads to `to` without one. */
  readonly accepts?: (character: string) => boolean
  readonly to: number[]
}

/** As long as the longest path on Linux. */
const MOST_CHARACTERS = 4_096

/**
 * Reads a glob. A backslash takes the character after it literally. `*` and `?` stand for no slash, `**` between slashes for
 * any number of folders.
 *
 * @throws TypeError if it is empty, too long, or a bracket or brace is not closed
 */
export function parseGlob(text: string, { ignoreCase = false }: GlobOptions = {}): Glob {
  // A Mac writes names in another form than keyboards do.
  const normal = (path: string) => (ignoreCase ? path.toLowerCase() : path).normalize('NFC')
  if (text === '') throw new TypeError('a glob must not be empty')
  if (text.length > MOST_CHARACTERS) {
    throw new TypeError(`a glob has at most ${MOST_CHARACTERS.toLocaleString('en')} characters`)
  }
  const steps = stepsOf([...normal(text)])
  return { matches: (path) => isAccepted(steps, normal(path)) }
}

const isNoSlash = (character: string) => character !== '/'
const isAny = () => true

function stepsOf(characters: readonly string[]): readonly Step[] {
  const builder = createStepBuilder()
  for (let index = 0; index < characters.length; ) index = readPart(characters, index, builder)
  builder.end()
  return builder.steps
}

/** @returns where the next part begins */
function readPart(characters: readonly string[], from: number, builder: StepBuilder): number {
  const character = characters[from] as string
  if (character === '*') return readStars(characters, from, builder)
  if (character === '[') return readClass(characters, from + 1, builder)
  if (character === '?') builder.one(isNoSlash)
  else if (character === '{') builder.openBrace()
  else if (character === ',' && builder.isInBrace()) builder.nextAlternative()
  else if (character === '}' && builder.isInBrace()) builder.closeBrace()
  else {
    const isEscaped = character === '\\'
    const literal = isEscaped ? characters[from + 1] : character
    if (literal === undefined) throw new TypeError('the backslash at its end has nothing to take literally')
    builder.one((other) => other === literal)
    return isEscaped ? from + 2 : from + 1
  }
  return from + 1
}

function readStars(characters: readonly string[], from: number, builder: StepBuilder): number {
  let end = from
  while (characters[end] === '*') end += 1
  const next = characters[end]
  const isFolder = end - from > 1 && ['/', '{', ',', undefined].includes(characters[from - 1])
  if (isFolder && next === '/') {
    builder.folders()
    return end + 1
  }
  builder.anyNumberOf(isFolder && ['}', ',', undefined].includes(next) ? isAny : isNoSlash)
  return end
}

type StepBuilder = ReturnType<typeof createStepBuilder>

function createStepBuilder() {
  const steps: Step[] = []
  /** Those not closed yet: where their alternatives begin and end. */
  const braces: { readonly fork: Step; readonly ends: Step[] }[] = []

  function one(accepts: (character: string) => boolean): void {
    steps.push({ accepts, to: [steps.length + 1] })
  }

  function jump(...to: number[]): Step {
    const step = { to }
    steps.push(step)
    return step
  }

  function anyNumberOf(accepts: (character: string) => boolean): void {
    const start = steps.length
    jump(start + 1, start + 3)
    one(accepts)
    jump(start)
  }

  return {
    steps,
    one,
    anyNumberOf,
    /** Any number of folders, each with its slash. */
    folders() {
      const start = steps.length
      jump(start + 1, start + 5)
      anyNumberOf(isAny)
      one((character) => character === '/')
    },
    isInBrace: () => braces.length > 0,
    openBrace() {
      braces.push({ fork: jump(steps.length + 1), ends: [] })
    },
    nextAlternative() {
      const brace = braces.at(-1)
      brace?.ends.push(jump())
      brace?.fork.to.push(steps.length)
    },
    closeBrace() {
      const ends = [...(braces.pop()?.ends ?? []), jump()]
      for (const end of ends) end.to.push(steps.length)
    },
    end() {
      if (braces.length > 0) throw new TypeError('the brace { is not closed: write {a,b}, or \\{ for the character')
    },
  }
}

/** Reads a class from after its bracket. A `]` at its beginning is one of its characters. */
function readClass(characters: readonly string[], from: number, builder: StepBuilder): number {
  let index = from
  const isNegated = characters[index] === '!' || characters[index] === '^'
  if (isNegated) index += 1
  const first = index
  const ranges: [string, string][] = []
  const literal = () => {
    if (characters[index] === '\\') index += 1
    const character = characters[index++]
    if (character === undefined)
      throw new TypeError('the bracket [ is not closed: write [a-z], or \\[ for the character')
    return character
  }
  while (index === first || characters[index] !== ']') {
    const low = literal()
    const isRange = characters[index] === '-' && characters[index + 1] !== ']'
    if (isRange) index += 1
    const high = isRange ? literal() : low
    if (high < low) throw new TypeError(`the range ${low}-${high} runs backwards`)
    ranges.push([low, high])
  }
  builder.one(
    (character) =>
      character !== '/' && isNegated !== ranges.some(([low, high]) => low <= character && character <= high),
  )
  return index + 1
}

/** Follows all ways through the steps at once, so that no path makes it go back. */
function isAccepted(steps: readonly Step[], path: string): boolean {
  let at = reached(steps, [0])
  for (const character of path) {
    const next = at.flatMap((index) => (steps[index]?.accepts?.(character) ? (steps[index]?.to ?? []) : []))
    if (next.length === 0) return false
    at = reached(steps, next)
  }
  return at.includes(steps.length)
}

/** These steps, and those that they lead to without a character. */
function reached(steps: readonly Step[], from: readonly number[]): readonly number[] {
  const seen = new Set(from)
  for (const index of seen) {
    const step = steps[index]
    if (step && !step.accepts) for (const next of step.to) seen.add(next)
  }
  return [...seen]
}
