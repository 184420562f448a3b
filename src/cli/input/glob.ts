import { type CliError, usageError } from '../failures/cli-error.ts'

/** Whether a text contains characters of a glob. */
export function isPattern(text: string): boolean {
  return /[*?[\]{}]/.test(text)
}

/** As long as the longest path on Linux. */
const MOST_CHARACTERS = 4_096

/**
 * Reads a glob: `*`, `?`, `[a-z]`, `{a,b}`, and `**` as a whole folder of a path. A backslash takes the character after it
 * literally. `*` and `?` stand for no slash, `**` between slashes for any number of folders.
 *
 * @returns whether a path matches; the time for it grows with the length of the glob times that of the path, for every glob
 * @throws CliError of code `usage` if it is empty or too long, or a bracket or brace is not closed
 */
export function parseGlob(text: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}) {
  const wrong = (why: string) => usageError(`the glob ${JSON.stringify(text.slice(0, MOST_CHARACTERS))} ${why}`)
  // A Mac writes names in another form than keyboards do.
  const normal = (path: string) => (ignoreCase ? path.toLowerCase() : path).normalize('NFC')
  if (text === '') throw wrong('is empty')
  if (text.length > MOST_CHARACTERS) throw wrong(`has more than ${MOST_CHARACTERS} characters`)
  const whole = parse(normal(text), wrong)
  return (path: string) => {
    const characters = [...normal(path)]
    return whole(characters, new Set([0])).has(characters.length)
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
  return (path, from) => parts.reduce((reached, part) => (reached.size > 0 ? part(path, reached) : reached), from)
}

function eitherOf(parts: readonly Part[]): Part {
  return (path, from) => new Set(parts.flatMap((part) => [...part(path, from)]))
}

/** Any number of folders, each with its slash. */
const folders = eitherOf([inSequence([]), inSequence([anyNumberOf(isAny), literal('/')])])

/** Two stars are folders where they are all of a name. A `]` at the beginning of a class is one of its characters. */
const tokens =
  /(?<folders>(?<![^/{,])\*{2,}\/)|(?<all>(?<![^/{,])\*{2,}(?![^,}]))|\*+|\[(?<not>[!^]?)(?<listed>(?:\\.|[^\\])(?:\\.|[^\\\]])*)\]|\\(?<literally>.)|./gsu

function parse(glob: string, wrong: (why: string) => CliError): Part {
  /** The alternatives of each brace that is open, of which the last is unfinished; the first is the glob itself. */
  const open: Part[][][] = [[[]]]
  const add = (part: Part) => open.at(-1)?.at(-1)?.push(part)
  for (const { 0: token, groups = {} } of glob.matchAll(tokens)) {
    if (token === '[') throw wrong('has a bracket [ that is not closed: write [a-z], or \\[ for the character')
    if (token === '{') open.push([[]])
    else if (token === ',' && open.length > 1) open.at(-1)?.push([])
    else if (token === '}' && open.length > 1) add(eitherOf((open.pop() ?? []).map(inSequence)))
    else add(partOf(token, groups))
  }
  if (open.length > 1) throw wrong('has a brace { that is not closed: write {a,b}, or \\{ for the character')
  return eitherOf((open[0] ?? []).map(inSequence))
}

function partOf(token: string, groups: Readonly<Record<string, string | undefined>>): Part {
  const { listed, not, literally } = groups
  if (groups['folders']) return folders
  if (groups['all']) return anyNumberOf(isAny)
  if (token.startsWith('*')) return anyNumberOf(isNoSlash)
  if (token === '?') return one(isNoSlash)
  if (listed === undefined) return literal(literally ?? token)
  const ranges = [...listed.matchAll(/\\?(.)(?:-\\?(.))?/gsu)].map(([, low = '', high = low]) => [low, high] as const)
  const isListed = (character: string) => ranges.some(([low, high]) => low <= character && character <= high)
  return one((character) => character !== '/' && isListed(character) === (not === ''))
}
