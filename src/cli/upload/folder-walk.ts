import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderWalk {
  /** Whether entries whose name begins with a dot are taken too. */
  readonly hidden: boolean
  readonly onFile: (path: string) => void
  readonly onUnreadable: (folder: string, error: unknown) => void
  readonly signal: AbortSignal
}

/** Goes through a folder and those in it, by name, the same on every machine. */
export async function walkFolder(folder: string, walk: FolderWalk): Promise<void> {
  walk.signal.throwIfAborted()
  let entries: readonly Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    walk.onUnreadable(folder, error)
    return
  }
  for (const entry of [...entries].sort((a, b) => byName(a.name, b.name))) {
    if (!walk.hidden && entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walkFolder(path, walk)
    else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(path)))) walk.onFile(path)
  }
}

/**
 * A link to a file is that file, and one that leads nowhere is told of when it is opened. Links to folders are not
 * followed, because they may lead back up; pipes and devices have no end to wait for.
 */
export async function leadsToFile(link: string): Promise<boolean> {
  const stats = await stat(link).catch(() => undefined)
  return stats?.isFile() ?? true
}

/** The same order on every machine, whatever its language. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
