import { join, sep } from 'node:path'
import { SourceError, type SourceProblem } from '../../../../index.ts'
import { statOf } from '../../../../system/file-calls.ts'
import { reasonOf } from '../../../../system/system-errors.ts'
import { mapInChunks } from '../../../batch/batch.ts'
import { pipeName } from '../sources/named-pipe.ts'
import { fileIdentity, isPattern, isSiteUrl, patternReads, schemeOf, splitPattern, urlItem } from './argument-kinds.ts'
import type { FileChoice } from './file-choice.ts'
import { brokenLinkText, byName, type FolderWalk, specialKind, walkFolder } from './folder-walk.ts'

/** A file to upload, or the reason why it cannot be uploaded. */
export interface UploadItem {
  /** The path or URL as the user gave it, or the path below the folder they gave; `-` for standard input. */
  readonly file: string
  /** What is read once, from its start to its end. */
  readonly stream?: 'stdin' | 'pipe'
  /** The address of a file on a site. */
  readonly url?: string
  /** The name to upload it under, if it is not read from a path; empty if the type names it. */
  readonly name?: string
  readonly problem?: SourceError
  /** The file's size, once {@link withSizes} has read it. */
  readonly bytes?: number
}

/** How folders and patterns are expanded. */
export interface ExpandOptions extends Pick<FolderWalk, 'hidden' | 'follow' | 'onLeftOut' | 'signal'> {
  readonly recursive: boolean
  /** Undefined to take all files. */
  readonly choice?: FileChoice | undefined
  /** Whether to take a file of a folder, judged by its content; undefined to take them all. */
  readonly accepts?: ((path: string) => Promise<boolean>) | undefined
}

/**
 * Expands arguments to files: folders with `recursive` (sorted by name), and patterns such as `*.jpg`, for shells that
 * do not expand them. Something that cannot be uploaded becomes an item with its problem. A file given more than once
 * becomes one item, at its first place.
 *
 * @param listed paths and URLs of a list, taken literally: no patterns, no standard input
 * @returns files that were given more than once, too: each once
 */
export async function expandArguments(args: readonly string[], listed: readonly string[], options: ExpandOptions) {
  const named = await mapInChunks(args, (argument) => expandArgument(argument, options), options.signal)
  const expandListed = async (line: string) => (isSiteUrl(line) ? [urlItem(line)] : await expandPath(line, options))
  const read = await mapInChunks(listed, expandListed, options.signal)
  return eachOnce([...named, ...read])
}

function eachOnce(groups: readonly (readonly UploadItem[])[]) {
  const folder = workingFolder()
  const items = new Map<string, UploadItem>()
  const repeated = new Map<string, string>()
  for (const group of groups) {
    for (const item of group) {
      const key = item.url ?? (item.stream === 'stdin' ? '-' : fileIdentity(item.file, folder))
      const first = items.get(key)
      if (first === undefined) items.set(key, item)
      else repeated.set(key, first.file)
    }
  }
  return { items: [...items.values()], repeated: [...repeated.values()] }
}

/** If the working folder is gone, opening each file reports that. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return sep
  }
}

/** The same items, with their sizes. */
export async function withSizes(items: readonly UploadItem[]): Promise<readonly UploadItem[]> {
  const withSize = async (item: UploadItem) => {
    const stats = item.problem || !isOnDisk(item) ? undefined : await statOrUndefined(item.file)
    return stats === undefined ? item : { ...item, bytes: stats.size }
  }
  return await Promise.all(items.map(withSize))
}

/** Whether an item is read from its path. */
export function isOnDisk({ stream, url }: UploadItem): boolean {
  return stream === undefined && url === undefined
}

/** What each has to send, in bytes; undefined where it is not known, as of standard input. */
export function bytesToSend(items: readonly UploadItem[]): readonly (number | undefined)[] {
  return items.map((item) => (item.problem === undefined && !isOnDisk(item) ? undefined : (item.bytes ?? 0)))
}

async function expandArgument(argument: string, options: ExpandOptions): Promise<readonly UploadItem[]> {
  if (isStdin(argument)) return [{ file: argument, stream: 'stdin', name: '' }]
  if (isSiteUrl(argument)) return [urlItem(argument)]
  // The query of an address makes no pattern. An existing file whose name looks like a pattern is taken literally.
  const mayMatch = schemeOf(argument) === undefined && isPattern(argument)
  const matched = mayMatch && (await statOrUndefined(argument)) === undefined
  return matched ? await matchPattern(argument, options) : await expandPath(argument, options)
}

/** Whether an argument means standard input, which may be what no path opens. */
export function isStdin(argument: string): boolean {
  return argument === '-' || /^\/dev\/(stdin|fd\/0)$/.test(argument)
}

/** Does not check that the file exists: opening it reports the error. */
async function expandPath(path: string, options: ExpandOptions): Promise<readonly UploadItem[]> {
  if (path === '') return [withProblem(path, 'missing', 'is not a path')]
  // A lone dash would mean standard input.
  const file = path === '-' ? `.${sep}-` : path
  const stats = await statOrUndefined(file)
  if (stats === undefined && schemeOf(file) !== undefined) return [urlItem(file)]
  if (stats?.isFIFO()) return [{ file, stream: 'pipe', name: pipeName(file) }]
  if (stats === undefined || stats.isFile()) return [{ file }]
  if (!stats.isDirectory()) return [withProblem(file, 'unreadable', `is a ${specialKind(stats)}, not a file`)]
  if (options.recursive) return await filesIn(file, options)
  return [withProblem(file, 'directory', 'is a folder', { hint: 'Add -r to upload the files in it' })]
}

async function filesIn(
  folder: string,
  { hidden, follow, choice, accepts, onLeftOut, signal }: ExpandOptions,
): Promise<readonly UploadItem[]> {
  const items: UploadItem[] = []
  await walkFolder(folder, {
    ...{ hidden, follow, choice, signal },
    onFile: (file) => items.push({ file }),
    onLeftOut,
    onUnreadable: (path, error) => items.push(unreadable(path, error)),
  })
  if (accepts === undefined) return items
  const isTaken = async (item: UploadItem) => item.problem !== undefined || (await accepts(item.file))
  const taken = await mapInChunks(items, async (item) => ((await isTaken(item)) ? [item] : []), signal)
  return taken.flat()
}

function unreadable(path: string, cause: unknown): UploadItem {
  const link = brokenLinkText(cause)
  if (link !== undefined) return withProblem(path, 'missing', link, { cause })
  return withProblem(path, 'unreadable', `cannot be read: ${reasonOf(cause)}`, { cause })
}

async function matchPattern(
  pattern: string,
  { hidden, follow, choice, signal }: ExpandOptions,
): Promise<readonly UploadItem[]> {
  const { glob } = await import('tinyglobby')
  const { folder, glob: rest } = splitPattern(pattern)
  const matching = async (dot: boolean) =>
    await glob(rest, {
      expandDirectories: false,
      dot,
      caseSensitiveMatch: process.platform !== 'win32',
      signal,
      ...(folder !== '' && { cwd: folder }),
      fs: patternReads(folder, { follow, choice }),
    })
  let matches: readonly string[]
  try {
    matches = await matching(hidden)
  } catch (error) {
    signal.throwIfAborted()
    const gone = error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
    const reason = gone ? 'the working folder no longer exists' : reasonOf(error)
    return [withProblem(pattern, 'unreadable', `cannot be matched: ${reason}`, { cause: error })]
  }
  const taken = matches.filter((match) => choice?.takes(match) ?? true)
  if (taken.length < matches.length && taken.length === 0) return []
  const paths = taken.sort(byName).map((match) => join(folder, match))
  // A broken link counts as a file: opening it reports the error.
  const asFile = async (file: string) => (((await statOrUndefined(file))?.isFile() ?? true) ? [{ file }] : [])
  const files = await mapInChunks(paths, asFile, signal)
  if (files.some(({ length }) => length > 0)) return files.flat()
  const hasHidden = !hidden && (await matching(true).catch(() => [])).length > matches.length
  const hint = 'To match hidden files, add --hidden or begin the pattern with a dot'
  return [withProblem(pattern, 'missing', 'matches no file', hasHidden ? { hint } : {})]
}

function withProblem(
  file: string,
  problem: SourceProblem,
  words: string,
  details: { readonly hint?: string; readonly cause?: unknown } = {},
): UploadItem {
  return { file, problem: new SourceError(problem, `${file || '""'} ${words}`, details) }
}

async function statOrUndefined(path: string) {
  return statOf(path).catch(() => undefined)
}
