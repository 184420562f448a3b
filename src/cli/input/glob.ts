/** A glob that has been read: `*`, `?`, `[a-z]`, `{a,b}`, and `**` as a whole folder of a path. */
export interface Glob {
  matches(path: string): boolean
}

export interface GlobOptions {
  readonly ignoreCase?: boolean
}

/** As long as the longest path on Linux. */
const MOST_CHARACTERS = 4_096

/** The parts of a glob. A `]` at the beginning of a class is one of its characters. */
const parts =
  /(?<folders>(?<=^|[/{,])\*{2,}\/)|(?<rest>(?<=^|[/{,])\*{2,}(?=$|[},]))|(?<stars>\*+)|\[(?<not>[!^]?)(?<set>(?:\\.|[^\\])(?:\\.|[^\\\]])*)\]|\\(?<escaped>.)|(?<one>.)/gsu

/**
 * Reads a glob. A backslash takes the character after it literally. `*` and `?` stand for no slash, `**` between slashes for
 * any number of folders.
 *
 * @throws TypeError if it is empty, too long, or a bracket or brace is not closed
 */
export function parseGlob(text: string, { ignoreCase = false }: GlobOptions = {}): Glob {
  if (text === '') throw new TypeError('a glob must not be empty')
  if (text.length > MOST_CHARACTERS) {
    throw new TypeError(`a glob has at most ${MOST_CHARACTERS.toLocaleString('en')} characters`)
  }
  // A Mac writes names in another form than keyboards do.
  const pattern = new RegExp(`^${sourceOf(text.normalize('NFC'))}$`, ignoreCase ? 'sui' : 'su')
  return { matches: (path) => pattern.test(path.normalize('NFC')) }
}

/** The glob as the source of a regular expression. */
function sourceOf(glob: string): string {
  let depth = 0
  const special: Readonly<Record<string, () => string>> = {
    '?': () => '[^/]',
    '{'() {
      depth += 1
      return '(?:'
    },
    ',': () => (depth > 0 ? '|' : ','),
    '}'() {
      if (depth === 0) return '\\}'
      depth -= 1
      return ')'
    },
    '['() {
      throw new TypeError('the bracket [ is not closed: write [a-z], or \\[ for the character')
    },
    '\\'() {
      throw new TypeError('the backslash at its end has nothing to take literally')
    },
  }
  const source = [...glob.matchAll(parts)].map(({ groups = {} }) => {
    const { folders, rest, stars, not, set, escaped, one = '' } = groups
    if (folders) return '(?:.*/)?'
    if (rest) return '.*'
    if (stars) return '[^/]*'
    if (set !== undefined) return classOf(set, not !== '')
    return special[one]?.() ?? literally(escaped ?? one)
  })
  if (depth > 0) throw new TypeError('the brace { is not closed: write {a,b}, or \\{ for the character')
  return source.join('')
}

/** One character of these, or none of them, which is no slash. */
function classOf(set: string, isNegated: boolean): string {
  for (const [range, low = '', high = ''] of set.matchAll(/([^\\])-([^\\])/gsu)) {
    if (high < low) throw new TypeError(`the range ${range} runs backwards`)
  }
  const inside = set.replace(/\\(.)|[[\]^]/gsu, (found, escaped) => literally(escaped ?? found))
  return `(?!/)[${isNegated ? '^' : ''}${inside}]`
}

function literally(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/u, '\\$&')
}
