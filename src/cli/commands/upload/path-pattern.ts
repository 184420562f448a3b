import nodePath, { type PlatformPath } from 'node:path'

/** A pattern as it is looked for: what of it is plain text, and what is left to match below that. */
export interface SplitPattern {
  /** The folder to look in, as the user wrote it; empty for the working folder. */
  readonly folder: string
  /** With forward slashes, as matchers want it. */
  readonly glob: string
}

/** Whether an argument is to be matched, rather than being the name of one file. */
export function isPattern(argument: string): boolean {
  return /[*?[\]{}]/.test(argument)
}

/**
 * Splits a pattern where its first special part begins. Matchers take the folder literally then, with its drive letter,
 * its share, or parentheses that would otherwise be a group. Where folders are separated by backslashes these are never
 * escapes.
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

/** Parentheses are part of a name, as in `scan (1)*.jpg`, unless the sign before them makes them a group. */
function asGlob(part: string): string {
  return hasGroup(part) ? part : part.replace(/[()]/g, '\\$&')
}

function hasGroup(part: string): boolean {
  return /[@!+?*]\(/.test(part)
}

/** What two names of one file have in common: an absolute path, without regard to case where the system has none. */
export function fileIdentity(file: string, folder: string, { sep, resolve }: PlatformPath = nodePath): string {
  const path = resolve(folder, file)
  return sep === '\\' ? path.toLowerCase() : path
}
