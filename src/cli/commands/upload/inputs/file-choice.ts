import { readGlobFlag } from '../../../input/flag-values.ts'
import { type Glob, parseGlob } from '../../../input/glob.ts'

export interface UnmatchedGlob {
  readonly flag: '--include' | '--exclude'
  readonly glob: string
}

export interface FileChoiceOptions {
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Whether backslashes separate folders, and names differ by more than case. */
  readonly windows: boolean
}

/**
 * A file is taken if one of the globs to include matches it, or there are none, and no glob to exclude does. A glob without
 * a slash matches names, others the whole path. A glob that matches a folder stands for all in it; one that ends with a
 * slash matches folders only.
 *
 * @throws CliError of code `usage` for a glob that cannot be read
 */
export function createFileChoice({ include, exclude, windows }: FileChoiceOptions) {
  const included = include.map((glob) => parseFilter(glob, '--include', windows))
  const excluded = exclude.map((glob) => parseFilter(glob, '--exclude', windows))
  let isAsked = false
  return {
    takes(path: string) {
      isAsked = true
      // Each is asked, so that it is known which matches nothing.
      const isIncluded = included.filter((filter) => filter.standsFor(path)).length > 0 || included.length === 0
      return excluded.filter((filter) => filter.standsFor(path)).length === 0 && isIncluded
    },
    enters: (path: string) => excluded.filter((filter) => filter.standsFor(`${path}/`)).length === 0,
    /** The globs that have matched nothing so far. */
    unmatched: (): readonly UnmatchedGlob[] =>
      isAsked ? [...included, ...excluded].filter((filter) => !filter.hasMatched()) : [],
  }
}

/** Which files of folders and patterns to upload. Paths are below the given folder, with forward slashes. */
export type FileChoice = ReturnType<typeof createFileChoice>

interface Filter extends UnmatchedGlob {
  /** Whether it matches a path, or a folder above it; the path of a folder ends with a slash. */
  standsFor(path: string): boolean
  hasMatched(): boolean
}

function parseFilter(text: string, flag: UnmatchedGlob['flag'], windows: boolean): Filter {
  const written = windows ? text.replaceAll('\\', '/') : text
  // A slash before a name anchors it at the given folder.
  const rooted = written.replace(/^(?:\.?\/)+/, '')
  const isWholePath = rooted !== written || rooted.slice(0, -1).includes('/')
  const glob = readGlob(rooted, { text, flag, windows })
  let hasMatched = false
  return {
    flag,
    glob: text,
    hasMatched: () => hasMatched,
    standsFor(path) {
      const matches = namesAlong(path, isWholePath).some((name) => matchesEither(glob, name))
      hasMatched ||= matches
      return matches
    },
  }
}

function readGlob(
  glob: string,
  { text, flag, windows }: { readonly text: string; readonly flag: string; readonly windows: boolean },
): Glob {
  return readGlobFlag(flag, text, () => {
    if (glob.startsWith('!')) throw new TypeError('a glob that begins with ! would undo another: use the other flag')
    return parseGlob(glob, { ignoreCase: windows })
  })
}

/** A folder, whose path ends with a slash, is matched with and without it: `name`, `name/` and `name/**` all mean it. */
function matchesEither(glob: Glob, path: string): boolean {
  return glob.matches(path) || (path.endsWith('/') && glob.matches(path.slice(0, -1)))
}

/** The path and the folders above it: whole, or only the name of each. Folders end with a slash. */
function namesAlong(path: string, whole: boolean): readonly string[] {
  const parts = path.match(/[^/]+\/?/g) ?? []
  return whole ? parts.map((_, index) => parts.slice(0, index + 1).join('')) : parts
}
