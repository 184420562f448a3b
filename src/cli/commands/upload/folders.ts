import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { mapInChunks } from '../../batch/batch.ts'
import type { Context } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { isPattern, parseGlob } from '../../input/glob.ts'
import { notes } from '../../output/notes.ts'
import { judgeFile, reportWrongTypes, type WrongType } from './left-out.ts'

/** What the flags say of folders and patterns. */
interface FolderFlags {
  readonly hidden?: true
  readonly follow?: true
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly anyType?: true
}

/**
 * Finds the files of folders and patterns.
 * @throws CliError of code `usage` for a glob of a flag that cannot be read
 */
export function createFolderSearch(flags: FolderFlags, context: Context) {
  const { note, interruption } = context
  const { hidden = false, follow = false, anyType = false } = flags
  const signal = interruption.stopping
  const walk = () => ({ follow, signal, visited: new Set<string>() })
  const choice = createFileChoice(flags.include, flags.exclude)
  const wrongTypes = new Map<string, WrongType>()
  async function isTaken(path: string): Promise<boolean> {
    const verdict = anyType ? 'accepted' : await judgeFile(path)
    if (verdict !== 'accepted') wrongTypes.set(path, verdict)
    return verdict === 'accepted'
  }
  return {
    /** The files in a folder and below it whose content is of an accepted type, and what cannot be read. */
    async filesIn(folder: string) {
      const found: Exclude<Found, { readonly type: 'link' }>[] = []
      for await (const entry of walkInto(folder, { ...walk(), root: folder, hidden, choice })) {
        if (entry.type === 'link') note(notes.linkedFolder(entry.path))
        else found.push(entry)
      }
      const taken = async (entry: (typeof found)[number]) =>
        entry.type === 'unreadable' || (await isTaken(entry.path)) ? [entry] : []
      return (await mapInChunks(found, taken, signal)).flat()
    },
    /**
     * For shells that do not expand patterns such as `*.jpg`.
     * @throws CliError of code `usage` if it cannot be read
     */
    async matching(pattern: string): Promise<readonly string[]> {
      const { root, namesHidden, choice: named } = readPattern(pattern)
      const both: Choice = {
        takes: (path) => named.takes(path) && choice.takes(path),
        enters: (path) => named.enters(path) && choice.enters(path),
      }
      const found = await Array.fromAsync(
        walkInto(root, { ...walk(), root, hidden: hidden || namesHidden, choice: both }),
      )
      return found.flatMap(({ type, path }) => (type === 'link' || path === root ? [] : [path]))
    },
    /**
     * Says what was left out for its type; what is named besides, among the items, is reported as refused.
     * @returns the pictures and videos among that, and the number of all
     */
    reportLeftOut(items: readonly { readonly file: string }[]) {
      for (const { file } of items) wrongTypes.delete(file)
      return { media: reportWrongTypes(wrongTypes, context), count: wrongTypes.size }
    },
  }
}

type Found =
  | { readonly type: 'file'; readonly path: string }
  /** A link to a folder, which is not followed. */
  | { readonly type: 'link'; readonly path: string }
  /** A folder that cannot be read, or a broken link. */
  | { readonly type: 'unreadable'; readonly path: string; readonly error: unknown }

interface Walk {
  /** The folder that was given. */
  readonly root: string
  readonly hidden: boolean
  /** Whether to follow links to folders; each folder is visited once. */
  readonly follow: boolean
  readonly choice: Choice
  readonly signal: AbortSignal
  /** Device and inode of the folders visited so far, since links may form a circle. */
  readonly visited: Set<string>
}

/** Which entries of a folder are wanted. Paths are below the folder that was given, with forward slashes. */
interface Choice {
  takes(path: string): boolean
  enters(folder: string): boolean
}

/** Walks a folder and its subfolders in the order of their names, the same on every machine. */
async function* walkInto(folder: string, walk: Walk): AsyncGenerator<Found> {
  const { hidden, follow, visited } = walk
  walk.signal.throwIfAborted()
  let entries: readonly Dirent[]
  try {
    if (follow) {
      const { dev, ino } = await stat(folder, { bigint: true })
      if (visited.has(`${dev}:${ino}`)) return
      visited.add(`${dev}:${ino}`)
    }
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    yield { type: 'unreadable', path: folder, error }
    return
  }
  for (const entry of entries.toSorted((one, other) => byName(one.name, other.name))) {
    if (hidden || !entry.name.startsWith('.')) yield* visit(join(folder, entry.name), entry, walk)
  }
}

async function* visit(path: string, entry: Dirent, walk: Walk): AsyncGenerator<Found> {
  const { choice, follow, root } = walk
  const below = relative(root, path).replaceAll(sep, '/')
  const isLink = entry.isSymbolicLink()
  // A link to a file counts as a file.
  const kind = isLink ? await stat(path).catch((error: unknown) => ({ error })) : entry
  if (!('error' in kind) && kind.isDirectory()) {
    if (!choice.enters(below)) return
    if (isLink && !follow) yield { type: 'link', path }
    else yield* walkInto(path, walk)
  } else if (choice.takes(below)) {
    if ('error' in kind) yield { type: 'unreadable', path, error: kind.error }
    else if (kind.isFile()) yield { type: 'file', path }
  }
}

/** Compares by code units: the same order in every locale. */
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * A file is taken if one of the globs to include matches it, or there are none, and no glob to exclude does. A glob without
 * a slash matches names, others the whole path. A glob that matches a folder stands for all in it; one that ends with a
 * slash matches folders only.
 *
 * @throws CliError of code `usage` for a glob that cannot be read
 */
export function createFileChoice(include: readonly string[], exclude: readonly string[]): Choice {
  const included = include.map(readFilter)
  const excluded = exclude.map(readFilter)
  const isMatched = (filters: readonly Filter[], path: string) => filters.some((standsFor) => standsFor(path))
  return {
    takes: (path) => !isMatched(excluded, path) && (included.length === 0 || isMatched(included, path)),
    enters: (folder) => !isMatched(excluded, `${folder}/`),
  }
}

/** Whether it matches a path, or a folder above it; the path of a folder ends with a slash. */
type Filter = (path: string) => boolean

function readFilter(glob: string): Filter {
  const isWindows = process.platform === 'win32'
  const written = isWindows ? glob.replaceAll('\\', '/') : glob
  // A slash before a name anchors it at the given folder.
  const rooted = written.replace(/^(?:\.?\/)+/, '')
  const isWholePath = rooted !== written || rooted.slice(0, -1).includes('/')
  if (rooted.startsWith('!')) throw usageError(`the glob ${JSON.stringify(glob)} begins with !: use the other flag`)
  const matches = parseGlob(rooted, { ignoreCase: isWindows })
  // A folder, whose path ends with a slash, is matched with and without it: `name`, `name/` and `name/**` all mean it.
  const matchesEither = (path: string) => matches(path) || (path.endsWith('/') && matches(path.slice(0, -1)))
  return (path) => {
    const parts = path.match(/[^/]+\/?/g) ?? []
    const names = isWholePath ? parts.map((_, index) => parts.slice(0, index + 1).join('')) : parts
    return names.some(matchesEither)
  }
}

/**
 * The folder before the first special part of a pattern, as the user wrote it, and what to take below it.
 * @throws CliError of code `usage` if the pattern cannot be read
 */
function readPattern(pattern: string) {
  const parts = pattern.split(sep === '\\' ? /[\\/]/ : '/')
  const special = parts.findIndex(isPattern)
  const glob = parts.slice(special).join('/')
  const depth = parts.length - special
  const matches = parseGlob(glob, { ignoreCase: sep === '\\' })
  return {
    root: parts.slice(0, special).reduce((folder, part) => folder + part + sep, '') || '.',
    /** Whether it names hidden files. */
    namesHidden: parts.slice(special).some((part) => part.startsWith('.')),
    choice: {
      takes: matches,
      enters: (folder: string) => glob.includes('**') || folder.split('/').length < depth,
    } satisfies Choice,
  }
}
