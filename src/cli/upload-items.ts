import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { SourceError, type SourceProblem } from '../index.ts'

/** One thing to upload, or why it cannot be. */
export interface UploadItem {
  /** As the user named it, or below the folder they named; `-` is standard input. */
  readonly file: string
  readonly problem?: SourceError
}

export interface ExpandOptions {
  readonly recursive: boolean
}

/**
 * The files that arguments stand for: folders with `recursive` (hidden entries left out, sorted by name), patterns such
 * as `*.jpg` for shells that leave them alone. What cannot be uploaded becomes an item with its problem. A file named
 * twice is uploaded twice, but a folder or pattern never adds what is there already.
 */
export async function expandArguments(args: readonly string[], options: ExpandOptions): Promise<readonly UploadItem[]> {
  const items: UploadItem[] = []
  for (const argument of args) {
    const found = await expandArgument(argument, options)
    const seen = new Set(items.map(({ file }) => file))
    items.push(...found.filter(({ file }) => file === argument || !seen.has(file)))
  }
  return items
}

async function expandArgument(argument: string, { recursive }: ExpandOptions): Promise<readonly UploadItem[]> {
  if (argument === '-') return [{ file: argument }]
  if (argument === '') return [withProblem(argument, 'missing', 'is not a path')]
  const stats = await statOrUndefined(argument)
  // A file may have the name of a pattern: what is there is meant literally.
  if (stats === undefined) return isPattern(argument) ? await matchPattern(argument) : [{ file: argument }]
  if (!stats.isDirectory()) return [{ file: argument }]
  if (recursive) return await walkFolder(argument)
  return [withProblem(argument, 'directory', 'is a folder', { hint: 'Add -r to upload the files in it' })]
}

function withProblem(
  file: string,
  problem: SourceProblem,
  words: string,
  details: { readonly hint?: string; readonly cause?: unknown } = {},
): UploadItem {
  return { file, problem: new SourceError(problem, `${file || '""'} ${words}`, details) }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What goes wrong here is told when the file is opened, with the reason. */
async function statOrUndefined(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined)
}

function isPattern(argument: string): boolean {
  return /[*?[\]{}]/.test(argument)
}

async function matchPattern(pattern: string): Promise<readonly UploadItem[]> {
  const { glob } = await import('tinyglobby')
  let matches: readonly string[]
  try {
    matches = await glob(pattern, { expandDirectories: false, absolute: isAbsolute(pattern) })
  } catch (error) {
    const gone = error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd'
    const reason = gone ? 'the working folder is no longer there' : reasonOf(error)
    return [withProblem(pattern, 'unreadable', `cannot be looked for: ${reason}`, { cause: error })]
  }
  const files: UploadItem[] = []
  for (const file of [...matches].sort(byName)) if (await leadsToFile(file)) files.push({ file })
  if (files.length > 0) return files
  const hint = 'Hidden files are matched only by a pattern that begins with a dot'
  return [withProblem(pattern, 'missing', 'matches no file', { hint })]
}

async function walkFolder(folder: string): Promise<readonly UploadItem[]> {
  let entries: readonly Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    return [withProblem(folder, 'unreadable', `cannot be read: ${reasonOf(error)}`, { cause: error })]
  }
  const items: UploadItem[] = []
  for (const entry of [...entries].sort((a, b) => byName(a.name, b.name))) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) items.push(...(await walkFolder(path)))
    else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(path)))) items.push({ file: path })
  }
  return items
}

/**
 * A link to a file is that file, and one that leads nowhere is told of when it is opened. Links to folders are not
 * followed, because they may lead back up; pipes and devices have no end to wait for.
 */
async function leadsToFile(link: string): Promise<boolean> {
  return (await statOrUndefined(link))?.isFile() ?? true
}

/** The same order on every machine, whatever its language. */
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
