import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SourceError, type SourceProblem } from '../../../index.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { printable } from '../../output/format/format.ts'
import { brokenLinkWords, byName, leadsToFile, walkFolder } from './folder-walk.ts'
import { inSlices } from './map-in-chunks.ts'
import { fileIdentity, isPattern, splitPattern } from './path-pattern.ts'

/** One thing to upload, or why it cannot be. */
export interface UploadItem {
  /** As the user named it, or below the folder they named; `-` is standard input. */
  readonly file: string
  readonly problem?: SourceError
  /** Where it has been weighed, and something is there to weigh. */
  readonly bytes?: number
}

export interface ExpandOptions {
  readonly recursive: boolean
  /** Whether folders and patterns bring hidden files too. */
  readonly hidden: boolean
  /** Whether links to folders in folders are followed. */
  readonly follow: boolean
  /** Told what of a folder is left out, in a sentence. */
  readonly onLeftOut: (text: string) => void
  readonly signal: AbortSignal
}

export interface Expansion {
  readonly items: readonly UploadItem[]
  /** Files that were named more than once, each once. */
  readonly repeated: readonly string[]
}

/**
 * The files that arguments stand for: folders with `recursive` (sorted by name), patterns such as `*.jpg` for shells that
 * leave them alone. What cannot be uploaded becomes an item with its problem. However often a file is named, it is one
 * item, where it was named first.
 *
 * @param listed paths of a list, which mean what they say: no patterns, and no standard input
 */
export async function expandArguments(
  args: readonly string[],
  listed: readonly string[],
  options: ExpandOptions,
): Promise<Expansion> {
  const named = await inSlices(args, (argument) => expandArgument(argument, options), options.signal)
  const read = await inSlices(listed, (path) => expandPath(path, options), options.signal)
  return eachOnce([...named, ...read])
}

function eachOnce(groups: readonly (readonly UploadItem[])[]): Expansion {
  const folder = workingFolder()
  const items = new Map<string, UploadItem>()
  const repeated = new Map<string, string>()
  for (const group of groups) {
    for (const item of group) {
      const key = item.file === '-' ? item.file : fileIdentity(item.file, folder)
      const first = items.get(key)
      if (first === undefined) items.set(key, item)
      else repeated.set(key, first.file)
    }
  }
  return { items: [...items.values()], repeated: [...repeated.values()] }
}

/** What goes wrong where there is none is told of each file. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return sep
  }
}

/** The same items, with what each weighs. */
export async function weighed(items: readonly UploadItem[]): Promise<readonly UploadItem[]> {
  const weigh = async (item: UploadItem) => {
    const stats = item.problem || item.file === '-' ? undefined : await statOrUndefined(item.file)
    return stats === undefined ? item : { ...item, bytes: stats.size }
  }
  return await Promise.all(items.map(weigh))
}

/** What they weigh together; undefined where that is not known before they are read. */
export function bytesOf(items: readonly UploadItem[]): number | undefined {
  if (items.some(({ file, problem }) => file === '-' && problem === undefined)) return undefined
  return items.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
}

async function expandArgument(argument: string, options: ExpandOptions): Promise<readonly UploadItem[]> {
  if (argument === '-') return [{ file: argument }]
  // A file may have the name of a pattern: what is there is meant literally.
  const matched = isPattern(argument) && (await statOrUndefined(argument)) === undefined
  return matched ? await matchPattern(argument, options) : await expandPath(argument, options)
}

/** What goes wrong with a file is told when it is opened, with the reason. */
async function expandPath(path: string, options: ExpandOptions): Promise<readonly UploadItem[]> {
  if (path === '') return [withProblem(path, 'missing', 'is not a path')]
  // Alone, a dash would be standard input.
  const file = path === '-' ? `.${sep}-` : path
  if (!(await statOrUndefined(file))?.isDirectory()) return [{ file }]
  if (options.recursive) return await filesIn(file, options)
  return [withProblem(file, 'directory', 'is a folder', { hint: 'Add -r to upload the files in it' })]
}

async function filesIn(
  folder: string,
  { hidden, follow, onLeftOut, signal }: ExpandOptions,
): Promise<readonly UploadItem[]> {
  const items: UploadItem[] = []
  await walkFolder(folder, {
    hidden,
    follow,
    signal,
    onFile: (file) => items.push({ file }),
    onLeftOut: (path, words) => onLeftOut(`${printable(path)} ${words}: left out`),
    onUnreadable: (path, error) => items.push(unreadable(path, error)),
  })
  return items
}

function unreadable(path: string, cause: unknown): UploadItem {
  const link = brokenLinkWords(cause)
  if (link !== undefined) return withProblem(path, 'missing', link, { cause })
  return withProblem(path, 'unreadable', `cannot be read: ${reasonOf(cause)}`, { cause })
}

async function matchPattern(pattern: string, { hidden, signal }: ExpandOptions): Promise<readonly UploadItem[]> {
  const { glob } = await import('tinyglobby')
  const { folder, glob: rest } = splitPattern(pattern)
  let matches: readonly string[]
  try {
    matches = await glob(rest, {
      expandDirectories: false,
      dot: hidden,
      caseSensitiveMatch: process.platform !== 'win32',
      signal,
      ...(folder !== '' && { cwd: folder }),
    })
  } catch (error) {
    signal.throwIfAborted()
    const gone = error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
    const reason = gone ? 'the working folder is no longer there' : reasonOf(error)
    return [withProblem(pattern, 'unreadable', `cannot be looked for: ${reason}`, { cause: error })]
  }
  const paths = [...matches].sort(byName).map((match) => join(folder, match))
  const files = await inSlices(paths, async (file) => ((await leadsToFile(file)) ? [{ file }] : []), signal)
  if (files.some(({ length }) => length > 0)) return files.flat()
  const hint = hidden
    ? undefined
    : 'Hidden files are matched only with --hidden, or by a pattern that begins with a dot'
  return [withProblem(pattern, 'missing', 'matches no file', hint === undefined ? {} : { hint })]
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
  return stat(path).catch(() => undefined)
}
