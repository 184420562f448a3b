import { readdir, type Stats, stat } from 'node:fs'
import { resolve } from 'node:path'
import type { GlobOptions } from 'tinyglobby'
import type { FileChoice } from './file-choice.ts'
import { pathBelow } from './folder-walk.ts'

/**
 * How the matcher of a pattern reads folders: one that is not to be entered looks empty, and a link to a folder, which may
 * lead back or out, looks broken unless links are followed.
 */
export function patternReads(
  folder: string,
  { follow, choice }: { readonly follow: boolean; readonly choice?: FileChoice | undefined },
): NonNullable<GlobOptions['fs']> {
  const root = resolve(folder)
  const isEntered = (path: string) =>
    path === '' || path.startsWith('..') || choice === undefined || choice.enters(path)
  const read = (path: string, options: object, then: (error: null, entries: readonly []) => void) => {
    if (isEntered(pathBelow(root, path))) readdir(path, options as never, then as never)
    else then(null, [])
  }
  const look = (path: string, then: (error: Error | null, stats: Stats) => void) => {
    stat(path, (error, stats) => then(error ?? (stats.isDirectory() && !follow ? new Error('a link') : null), stats))
  }
  return { readdir: read as unknown as typeof readdir, stat: look as typeof stat }
}
