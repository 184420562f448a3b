import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { readGlobFlag } from '../../input/flag-values.ts'
import { parseGlob } from '../../input/glob.ts'

type Found =
  | { readonly type: 'file'; readonly path: string }
  /** A link to a folder, which is not followed. */
  | { readonly type: 'link'; readonly path: string }
  /** A folder that cannot be read, or a broken link. */
  | { readonly type: 'unreadable'; readonly path: string; readonly error: unknown }

export interface FolderWalk {
  readonly hidden: boolean
  /** Whether to follow links to folders; each folder is visited once. */
  readonly follow: boolean
  readonly choice: Choice
  readonly signal: AbortSignal
}

/** Which entries of a folder are wanted. Paths are below the folder that was given, with forward slashes. */
export interface Choice {
  takes(path: string): boolean
  enters(folder: string): boolean
}

/** Walks a folder and its subfolders in the order of their names, the same on every machine. */
export function walkFolder(root: string, walk: FolderWalk): AsyncGenerator<Found, void, undefined> {
  const below = (path: string) => relative(root, path).replaceAll(sep, '/')
  return walkInto(root, { ...walk, below, visited: new Set() })
}

interface Walk extends FolderWalk {
  below(path: string): string
  /** Device and inode of the folders visited so far, since links may form a circle. */
  readonly visited: Set<string>
}

async function* walkInto(folder: string, walk: Walk): AsyncGenerator<Found, void, undefined> {
  walk.signal.throwIfAborted()
  let entries: readonly Dirent[]
  try {
    if (walk.follow && !(await isFirstVisit(folder, walk))) return
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    yield { type: 'unreadable', path: folder, error }
    return
  }
  for (const entry of entries.toSorted((one, other) => byName(one.name, other.name))) {
    if (walk.hidden || !entry.name.startsWith('.')) yield* visit(join(folder, entry.name), entry, walk)
  }
}

async function isFirstVisit(folder: string, { visited }: Walk): Promise<boolean> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const key = `${dev}:${ino}`
  return !visited.has(key) && visited.add(key).has(key)
}

async function* visit(path: string, entry: Dirent, walk: Walk): AsyncGenerator<Found, void, undefined> {
  const { choice, follow, below } = walk
  const isLink = entry.isSymbolicLink()
  // A link to a file counts as a file.
  const kind = isLink ? await stat(path).catch((error: unknown) => ({ error })) : entry
  if (!('error' in kind) && kind.isDirectory()) {
    if (!choice.enters(below(path))) return
    if (isLink && !follow) yield { type: 'link', path }
    else yield* walkInto(path, walk)
    return
  }
  if (!choice.takes(below(path))) return
  if ('error' in kind) yield { type: 'unreadable', path, error: kind.error }
  else if (kind.isFile()) yield { type: 'file', path }
}

/** Compares by code units: the same order in every locale. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What is neither a regular file nor a folder has no end, or no content. */
export function specialKind(entry: Stats): 'pipe' | 'socket' | 'device' {
  if (entry.isFIFO()) return 'pipe'
  return entry.isSocket() ? 'socket' : 'device'
}

export const everything: Choice = { takes: () => true, enters: () => true }

/**
 * A file is taken if one of the globs to include matches it, or there are none, and no glob to exclude does. A glob without
 * a slash matches names, others the whole path. A glob that matches a folder stands for all in it; one that ends with a
 * slash matches folders only.
 *
 * @throws CliError of code `usage` for a glob that cannot be read
 */
export function createFileChoice(include: readonly string[], exclude: readonly string[]): Choice {
  const included = include.map((glob) => readFilter('--include', glob))
  const excluded = exclude.map((glob) => readFilter('--exclude', glob))
  const isMatched = (filters: readonly Filter[], path: string) => filters.some((standsFor) => standsFor(path))
  return {
    takes: (path) => !isMatched(excluded, path) && (included.length === 0 || isMatched(included, path)),
    enters: (folder) => !isMatched(excluded, `${folder}/`),
  }
}

/** Whether it matches a path, or a folder above it; the path of a folder ends with a slash. */
type Filter = (path: string) => boolean

function readFilter(flag: '--include' | '--exclude', glob: string): Filter {
  const isWindows = process.platform === 'win32'
  const written = isWindows ? glob.replaceAll('\\', '/') : glob
  // A slash before a name anchors it at the given folder.
  const rooted = written.replace(/^(?:\.?\/)+/, '')
  const isWholePath = rooted !== written || rooted.slice(0, -1).includes('/')
  const { matches } = readGlobFlag(flag, glob, () => {
    if (rooted.startsWith('!')) throw new TypeError('a glob that begins with ! would undo another: use the other flag')
    return parseGlob(rooted, { ignoreCase: isWindows })
  })
  // A folder, whose path ends with a slash, is matched with and without it: `name`, `name/` and `name/**` all mean it.
  const matchesEither = (path: string) => matches(path) || (path.endsWith('/') && matches(path.slice(0, -1)))
  return (path) => {
    const parts = path.match(/[^/]+\/?/g) ?? []
    const names = isWholePath ? parts.map((_, index) => parts.slice(0, index + 1).join('')) : parts
    return names.some(matchesEither)
  }
}

/** Whether an argument contains characters of a pattern. */
export function isPattern(argument: string): boolean {
  return /[*?[\]{}]/.test(argument)
}

/**
 * The folder before the first special part of a pattern, as the user wrote it, and what to take below it.
 * @throws TypeError if the pattern cannot be read
 */
export function readPattern(pattern: string) {
  const parts = pattern.split(sep === '\\' ? /[\\/]/ : '/')
  const special = parts.findIndex(isPattern)
  const glob = parts.slice(special).join('/')
  const depth = parts.length - special
  const { matches } = parseGlob(glob, { ignoreCase: sep === '\\' })
  return {
    folder: parts
      .slice(0, special)
      .map((part) => `${part}${sep}`)
      .join(''),
    /** Whether it names hidden files. */
    namesHidden: parts.slice(special).some((part) => part.startsWith('.')),
    choice: {
      takes: matches,
      enters: (folder: string) => glob.includes('**') || folder.split('/').length < depth,
    } satisfies Choice,
  }
}
