import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { SourceError } from '../index.ts'

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
  const stats = await statOrUndefined(argument)
  // A file may have the name of a pattern: what is there is meant literally.
  if (stats === undefined) return isPattern(argument) ? await matchPattern(argument) : [{ file: argument }]
  if (!stats.isDirectory()) return [{ file: argument }]
  if (recursive) return await walkFolder(argument)
  const hint = 'Add -r to upload the files in it'
  return [{ file: argument, problem: new SourceError('directory', `${argument} is a folder`, { hint }) }]
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
  const files = await glob(pattern, { expandDirectories: false, absolute: isAbsolute(pattern) })
  if (files.length > 0) return files.sort(byName).map((file) => ({ file }))
  const hint = 'Hidden files are matched only by a pattern that begins with a dot'
  return [{ file: pattern, problem: new SourceError('missing', `${pattern} matches no file`, { hint }) }]
}

async function walkFolder(folder: string): Promise<readonly UploadItem[]> {
  let entries: readonly Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = new SourceError('unreadable', `${folder} cannot be read: ${reason}`, { cause: error })
    return [{ file: folder, problem }]
  }
  const items: UploadItem[] = []
  for (const entry of [...entries].sort((a, b) => byName(a.name, b.name))) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) items.push(...(await walkFolder(path)))
    else if (await isFile(entry, path)) items.push({ file: path })
  }
  return items
}

/** A link to a file is that file; links to folders are not followed, because they may lead back up. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return (await statOrUndefined(path))?.isDirectory() !== true
}

/** The same order on every machine, whatever its language. */
function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
