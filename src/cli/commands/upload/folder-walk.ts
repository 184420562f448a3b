import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../../../system/system-errors.ts'

export interface FolderWalk {
  /** Whether entries whose name begins with a dot are taken too. */
  readonly hidden: boolean
  /** Whether links to folders are followed, to each folder once. */
  readonly follow: boolean
  readonly onFile: (path: string) => void
  /** Told what is no file and no folder to go into, and what it is. */
  readonly onLeftOut: (path: string, words: string) => void
  /** A folder, or a link that leads nowhere. */
  readonly onUnreadable: (path: string, error: unknown) => void
  readonly signal: AbortSignal
}

/** Goes through a folder and those in it, by name, the same on every machine. */
export async function walkFolder(folder: string, walk: FolderWalk): Promise<void> {
  await walkInto(folder, walk, new Set())
}

/** @param visited the folders that have been gone into, by device and number: links may lead back up */
async function walkInto(folder: string, walk: FolderWalk, visited: Set<string>): Promise<void> {
  walk.signal.throwIfAborted()
  let entries: readonly Dirent[]
  try {
    if (walk.follow && !(await isFirstVisit(folder, visited))) {
      walk.onLeftOut(folder, 'leads to a folder that is taken already')
      return
    }
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    walk.onUnreadable(folder, error)
    return
  }
  for (const entry of [...entries].sort((a, b) => byName(a.name, b.name))) {
    if (!walk.hidden && entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walkInto(path, walk, visited)
    else if (entry.isFile()) walk.onFile(path)
    else if (entry.isSymbolicLink()) await walkLink(path, walk, visited)
    else walk.onLeftOut(path, kindOf(entry))
  }
}

/** A link to a file is that file. */
async function walkLink(link: string, walk: FolderWalk, visited: Set<string>): Promise<void> {
  let target: Stats
  try {
    target = await stat(link)
  } catch (error) {
    walk.onUnreadable(link, error)
    return
  }
  if (target.isFile()) walk.onFile(link)
  else if (!target.isDirectory()) walk.onLeftOut(link, `leads to what ${kindOf(target)}`)
  else if (walk.follow) await walkInto(link, walk, visited)
  else walk.onLeftOut(link, 'is a link to a folder, which -L follows')
}

async function isFirstVisit(folder: string, visited: Set<string>): Promise<boolean> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const key = `${dev}:${ino}`
  if (visited.has(key)) return false
  visited.add(key)
  return true
}

/** What it is that has no end to wait for, or no content at all. */
function kindOf(entry: Dirent | Stats): string {
  if (entry.isFIFO()) return 'is a pipe'
  return entry.isSocket() ? 'is a socket' : 'is a device'
}

/** In words why what a link leads to cannot be opened; undefined where the error says nothing of links. */
export function brokenLinkWords(error: unknown): string | undefined {
  const code = errorCodeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is a link that leads nowhere'
  return code === 'ELOOP' ? 'is a link that leads round in circles' : undefined
}

/** Whether a match of a pattern is a file; one that leads nowhere is told of when it is opened. */
export async function leadsToFile(link: string): Promise<boolean> {
  const stats = await stat(link).catch(() => undefined)
  return stats?.isFile() ?? true
}

/** The same order on every machine, whatever its language. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
