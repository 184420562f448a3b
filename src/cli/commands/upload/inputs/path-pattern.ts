import { readdir, type Stats, stat } from 'node:fs'
import nodePath, { type PlatformPath, resolve } from 'node:path'
import type { GlobOptions } from 'tinyglobby'
import type { FileChoice } from './file-choice.ts'
import { pathBelow } from './folder-walk.ts'

/** A pattern, split into a plain folder and the part to match below it. */
export interface SplitPattern {
  /** As the user wrote it; empty for the working folder. */
  readonly folder: string
  /** With forward slashes, as the matcher requires. */
  readonly glob: string
}

/** Whether an argument contains characters of a pattern. */
export function isPattern(argument: string): boolean {
  return /[*?[\]{}]/.test(argument)
}

/**
 * Splits a pattern before its first special part. The matcher then takes the folder literally, with its drive letter,
 * share or parentheses. On Windows, backslashes separate folders and never escape.
 */
export function splitPattern(pattern: string, { sep, parse }: PlatformPath = nodePath): SplitPattern {
  const windows = sep === '\\'
  const { root } = parse(pattern)
  const parts = pattern.slice(root.length).split(windows ? /[\\/]/ : '/')
  const special = parts.findIndex((part) => isPattern(part) || hasGroup(part) || part.includes('\\'))
  const plain = parts.slice(0, special)
  const folder = root + plain.map((part) => `${part}${sep}`).join('')
  return { folder, glob: parts.slice(special).map(asGlob).join('/') }
}

/** Parentheses are part of a name, as in `scan (1)*.jpg`, unless one of `@!+?*` before them makes a group. */
function asGlob(part: string): string {
  return hasGroup(part) ? part : part.replace(/[()]/g, '\\$&')
}

function hasGroup(part: string): boolean {
  return /[@!+?*]\(/.test(part)
}

/** Equal for two names of one file: the absolute path, in lower case on Windows. */
export function fileIdentity(file: string, folder: string, { sep, resolve }: PlatformPath = nodePath): string {
  const path = resolve(folder, file)
  return sep === '\\' ? path.toLowerCase() : path
}

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
