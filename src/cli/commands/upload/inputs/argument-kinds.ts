import { readdir, type Stats, stat } from 'node:fs'
import nodePath, { type PlatformPath, resolve } from 'node:path'
import type { GlobOptions } from 'tinyglobby'
import { SourceError } from '../../../../index.ts'
import { nameInUrl } from '../../../../internal.ts'
import { shownFile } from '../../../format/format.ts'
import type { FileChoice } from './file-choice.ts'
import { pathBelow } from './folder-walk.ts'

/** Whether an argument contains characters of a pattern. */
export function isPattern(argument: string): boolean {
  return /[*?[\]{}]/.test(argument)
}

/**
 * Splits a pattern before its first special part. The matcher then takes the folder literally, with its drive letter,
 * share or parentheses. On Windows, backslashes separate folders and never escape.
 *
 * @returns the folder as the user wrote it, empty for the working folder; the glob with forward slashes, as the matcher
 * requires
 */
export function splitPattern(pattern: string, { sep, parse }: PlatformPath = nodePath) {
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

interface UrlItem {
  /** As it was given, without a password. */
  readonly file: string
  readonly url?: string
  readonly name?: string
  readonly problem?: SourceError
}

/** Two letters at least: `C://` is a drive of Windows. */
const address = /^([a-z][a-z\d+.-]+):\/\//i

/** Whether a text names a file on a site. A path of the same letters is written `./https://…`. */
export function isSiteUrl(text: string): boolean {
  return /^https?$/i.test(schemeOf(text) ?? '')
}

/** What comes before `://`; undefined for a path. */
export function schemeOf(text: string): string | undefined {
  return address.exec(text)?.[1]?.toLowerCase()
}

/** The item of a text with a scheme: an address that `fh` fetches, or what is wrong with it. */
export function urlItem(text: string): UrlItem {
  if (!isSiteUrl(text)) {
    const hint = schemeOf(text) === 'file' ? 'Give the path of the file' : 'Download it first, and upload the file'
    return refused(text, 'is an address that fh cannot fetch: only http and https', hint)
  }
  const url = URL.parse(text)
  if (url === null) return refused(text, 'is not a valid address')
  if (url.username !== '' || url.password !== '') {
    // It would stand in the list of processes, in the output and in the shell's history.
    return refused(text, 'has a user name or a password in it, which fh does not send', 'Download the file first')
  }
  url.hash = ''
  return { file: text, url: url.href, name: nameInUrl(url.href) }
}

function refused(text: string, words: string, hint?: string): UrlItem {
  const file = withoutUser(text)
  const message = `${shownFile(file)} ${words}`
  return { file, problem: new SourceError('unreadable', message, hint === undefined ? {} : { hint }) }
}

/** A password may hold any character, so where an invalid address ends its password, if it has one, is a guess. */
function withoutUser(text: string): string {
  const url = URL.parse(text)
  if (url !== null) {
    const { protocol, username, password, host, pathname, search } = url
    return username === '' && password === '' ? text : `${protocol}//***@${host}${pathname}${search}`
  }
  const at = text.lastIndexOf('@')
  return at === -1 ? text : `${text.slice(0, text.indexOf('//'))}//***${text.slice(at)}`
}
