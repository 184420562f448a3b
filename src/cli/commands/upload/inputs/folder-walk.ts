import type { Dirent, Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { errorCodeOf } from '../../../../system/system-errors.ts'
import type { FileChoice } from './file-choice.ts'

/** A file that is neither a regular file nor a folder. */
type SpecialFile = 'pipe' | 'socket' | 'device'

export type LeftOutReason = SpecialFile | `link to ${SpecialFile}` | 'link to folder' | 'visited folder'

export interface FolderWalk {
  readonly hidden: boolean
  /** Whether to follow links to folders; each folder is visited once. */
  readonly follow: boolean
  /** Undefined to take all files. */
  readonly choice?: Pick<FileChoice, 'takes' | 'enters'> | undefined
  readonly onFile: (path: string) => void
  /** Called for an entry that is neither a file nor a folder to visit. */
  readonly onLeftOut: (path: string, reason: LeftOutReason) => void
  /** Called for a folder that cannot be read, or a broken link. */
  readonly onUnreadable: (path: string, error: unknown) => void
  readonly signal: AbortSignal
}

/** Walks a folder and its subfolders in the order of their names, the same on every machine. */
export async function walkFolder(folder: string, walk: FolderWalk): Promise<void> {
  await walkInto(folder, { ...walk, root: folder, visited: new Set() })
}

interface Walk extends FolderWalk {
  readonly root: string
  /** Device and inode of the folders visited so far, since links may form a circle. */
  readonly visited: Set<string>
}

async function walkInto(folder: string, walk: Walk): Promise<void> {
  walk.signal.throwIfAborted()
  let entries: readonly Dirent[]
  try {
    if (walk.follow && !(await isFirstVisit(folder, walk.visited))) {
      walk.onLeftOut(folder, 'visited folder')
      return
    }
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    walk.onUnreadable(folder, error)
    return
  }
  for (const entry of [...entries].sort((a, b) => byName(a.name, b.name))) {
    if (!walk.hidden && entry.name.startsWith('.')) continue
    await visit(join(folder, entry.name), entry, walk)
  }
}

async function visit(path: string, entry: Dirent, walk: Walk): Promise<void> {
  if (entry.isSymbolicLink()) return await walkLink(path, walk)
  if (!(entry.isDirectory() ? isEntered(path, walk) : isTaken(path, walk))) return
  if (entry.isDirectory()) await walkInto(path, walk)
  else if (entry.isFile()) walk.onFile(path)
  else walk.onLeftOut(path, specialKind(entry))
}

function isTaken(path: string, { choice, root }: Walk): boolean {
  return choice?.takes(pathBelow(root, path)) ?? true
}

function isEntered(folder: string, { choice, root }: Walk): boolean {
  return choice?.enters(pathBelow(root, folder)) ?? true
}

/** With forward slashes. */
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).replaceAll(sep, '/')
}

/** A link to a file counts as a file. */
async function walkLink(link: string, walk: Walk): Promise<void> {
  let target: Stats
  try {
    target = await stat(link)
  } catch (error) {
    if (isTaken(link, walk)) walk.onUnreadable(link, error)
    return
  }
  const isFolder = target.isDirectory()
  if (!(isFolder ? isEntered(link, walk) : isTaken(link, walk))) return
  if (target.isFile()) walk.onFile(link)
  else if (!isFolder) walk.onLeftOut(link, `link to ${specialKind(target)}`)
  else if (walk.follow) await walkInto(link, walk)
  else walk.onLeftOut(link, 'link to folder')
}

async function isFirstVisit(folder: string, visited: Set<string>): Promise<boolean> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const key = `${dev}:${ino}`
  if (visited.has(key)) return false
  visited.add(key)
  return true
}

/** Such entries have no end, or no content. */
export function specialKind(entry: Dirent | Stats): SpecialFile {
  if (entry.isFIFO()) return 'pipe'
  return entry.isSocket() ? 'socket' : 'device'
}

/** Why a link cannot be opened; undefined if the error is not about links. */
export function brokenLinkText(error: unknown): string | undefined {
  const code = errorCodeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is a broken link'
  return code === 'ELOOP' ? 'is a link that leads back to itself' : undefined
}

/** Compares by code units: the same order in every locale. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
