import { createReadStream, type Stats } from 'node:fs'
import { basename, extname, resolve, sep } from 'node:path'
import { SourceError } from '../../../client/errors.ts'
import { nameInUrl, toSourceError } from '../../../client/sources/local-source.ts'
import type { SourceProblem } from '../../../index.ts'
import type { LinkFormat } from '../../../protocol/upload-links.ts'
import { statOf } from '../../../system/files.ts'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import { mapInChunks } from '../../batch/batch.ts'
import type { Context } from '../../context/context.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { hints } from '../../failures/hints.ts'
import { shownFile } from '../../format/format.ts'
import { isPattern } from '../../input/glob.ts'
import type { ProgressChoice } from '../../output/events.ts'
import { notes } from '../../output/notes.ts'
import { createFolderSearch } from './folders.ts'

/** What is not said here, the help of its flag says. */
export interface UploadOptions {
  readonly paths: readonly string[]
  /** Path of a list of paths, or `-` for standard input. */
  readonly filesFrom?: string | undefined
  readonly null?: true
  readonly recursive?: true
  readonly hidden?: true
  readonly follow?: true
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly anyType?: true
  readonly name?: string | undefined
  readonly jobs: number
  readonly format: LinkFormat
  readonly failFast?: true
  readonly dryRun?: true
  /** Whether uploads are remembered, and those of other runs heeded; undefined for true. */
  readonly journal?: boolean | undefined
  readonly force?: true
  /** Bytes per second of all uploads together. */
  readonly bwlimit?: number | undefined
  readonly progress: ProgressChoice
  readonly copy?: true
  readonly open?: true
}

/** A file to upload, or the reason why it cannot be uploaded. */
export interface UploadItem {
  /** The path or URL as the user gave it, or the path below the folder they gave; `-` for standard input. */
  readonly file: string
  /** What is read once, from its start to its end. */
  readonly stream?: 'stdin' | 'pipe'
  /** The address of a file on a site. */
  readonly url?: string
  /** The name to upload it under, if it is not read from a path; empty if the type names it. */
  readonly name?: string
  readonly problem?: SourceError
  /** Once {@link withSizes} has read it. */
  readonly bytes?: number
}

/** What gives the items of an argument. */
interface Expansion extends Pick<UploadOptions, 'recursive'> {
  readonly folders: ReturnType<typeof createFolderSearch>
}

/**
 * Finds the files to upload: named ones, those of folders and patterns, and those of a list. What cannot be uploaded
 * becomes an item with its problem. Reports what is left out.
 *
 * @returns `leftOut`: the pictures and videos of folders that are of no accepted type
 * @throws CliError of code `usage` if the flags do not go together, or the list cannot be read
 */
export async function collectItems(inputs: UploadOptions, context: Context) {
  checkInputs(inputs)
  const { note, interruption } = context
  const { filesFrom, name } = inputs
  const signal = interruption.stopping
  const folders = createFolderSearch(inputs, context)
  const expansion = { ...inputs, folders }
  const listed = filesFrom === undefined ? [] : await readPathList(filesFrom, inputs.null === true, context)
  const named = await mapInChunks(inputs.paths, (argument) => itemsOf(argument, expansion), signal)
  // Lines of a list are taken literally: no patterns, no standard input.
  const read = await mapInChunks(listed, (line) => itemsAt(line, expansion), signal)
  const items = eachOnce([...named, ...read].flat())
  const { media: leftOut, count } = folders.reportLeftOut(items)
  if (items.length + count === 0) note(notes.none('files'))
  return { items: name === undefined ? items : withName(items, name), leftOut }
}

function checkInputs({ paths, filesFrom, name, recursive, include, exclude }: UploadOptions): void {
  if (paths.length === 0 && filesFrom === undefined) {
    throw usageError('No files given: name files, folders with -r, - for stdin, or a list with --files-from')
  }
  if (filesFrom === '-' && paths.some(isStdin)) {
    throw usageError('Standard input (-) cannot be both the list and a file')
  }
  if (name !== undefined && !isFileName(name)) {
    throw usageError(`--name: ${JSON.stringify(name)} is not the name of a file, such as photo.jpg`)
  }
  const isChosen = include.length + exclude.length > 0
  if (isChosen && !recursive && !paths.some((path) => isPattern(path) && !isUrl(path))) {
    throw usageError('--include and --exclude choose from folders (-r) and quoted patterns, not from named files')
  }
}

function isFileName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is refused
  return /^[^/\\\u0000-\u001f\u007f]+$/.test(name) && !/^\.{1,2}$/.test(name) && Buffer.byteLength(name) <= 255
}

/** Gives the name to the one item that is not read from a path. */
function withName(items: readonly UploadItem[], name: string): readonly UploadItem[] {
  const named = items.filter((item) => item.name !== undefined)
  const [only] = named
  if (named.length > 1 || (only === undefined && items.every(({ problem }) => problem === undefined))) {
    throw usageError(`--name is for one of standard input, URLs and pipes; there are ${named.length} among the files`)
  }
  return items.map((item) => (item === only ? { ...item, name } : item))
}

/**
 * Reads the list of `--files-from`: a path per line (LF or CRLF), or NUL after each.
 * @param from a file, or `-` for standard input
 * @throws CliError of code `usage` if it cannot be read, or is no such list
 */
export async function readPathList(
  from: string,
  nul: boolean,
  { io, interruption }: Context,
): Promise<readonly string[]> {
  const { listLimit, listText, readAll } = await import('../../input/stdin-text.ts')
  const signal = interruption.stopping
  const bytes = await readAll(from === '-' ? io.stdin : createReadStream(from), signal, listLimit).catch(
    (error: unknown) => {
      if (signal.aborted || error instanceof CliError) throw error
      throw usageError(`--files-from: ${from || '""'} cannot be read: ${reasonOf(error)}`)
    },
  )
  const text = listText(bytes, '--files-from')
  if (!nul && text.includes('\0')) throw usageError('--files-from: a list with NUL characters needs -0')
  return text.split(nul ? '\0' : /\r?\n/).filter((path) => path !== '')
}

/** A file that is given more than once becomes one item, at its first place. */
function eachOnce(all: readonly UploadItem[]): readonly UploadItem[] {
  const items = new Map<string, UploadItem>()
  for (const item of all) {
    const key = item.url ?? (item.stream === 'stdin' ? '-' : resolve(item.file))
    if (!items.has(key)) items.set(key, item)
  }
  return [...items.values()]
}

async function itemsOf(argument: string, expansion: Expansion): Promise<readonly UploadItem[]> {
  if (isStdin(argument)) return [{ file: argument, stream: 'stdin', name: '' }]
  // The query of an address makes no pattern. An existing file whose name looks like a pattern is taken literally.
  const mayMatch = schemeOf(argument) === undefined && isPattern(argument)
  if (mayMatch && (await statOrUndefined(argument)) === undefined) return await matchPattern(argument, expansion)
  return await itemsAt(argument, expansion)
}

/** Whether an argument means standard input, which may be what no path opens. */
function isStdin(argument: string): boolean {
  return argument === '-' || /^\/dev\/(stdin|fd\/0)$/.test(argument)
}

/** Does not check that the file exists: opening it reports the error. */
async function itemsAt(path: string, expansion: Expansion): Promise<readonly UploadItem[]> {
  if (isUrl(path)) return [urlItem(path)]
  if (path === '') return [withProblem(path, 'missing', 'is not a path')]
  // A lone dash would mean standard input.
  const file = path === '-' ? `.${sep}-` : path
  const stats = await statOrUndefined(file)
  if (stats === undefined && schemeOf(file) !== undefined) return [urlItem(file)]
  if (stats === undefined || stats.isFile()) return [{ file }]
  // Without an extension, as of `<(command)` in a shell, its type names the content of a pipe.
  if (stats.isFIFO()) return [{ file, stream: 'pipe', name: extname(file) === '' ? '' : basename(file) }]
  if (!stats.isDirectory()) return [withProblem(file, 'unreadable', 'is not a file')]
  if (expansion.recursive) return await filesIn(file, expansion)
  return [withProblem(file, 'directory', 'is a folder', { hint: hints.recursive })]
}

async function filesIn(folder: string, { folders }: Expansion): Promise<readonly UploadItem[]> {
  const found = await folders.filesIn(folder)
  return found.map((entry) => (entry.type === 'file' ? { file: entry.path } : unreadable(entry.path, entry.error)))
}

function unreadable(path: string, cause: unknown): UploadItem {
  const isBroken = /^(ENOENT|ENOTDIR|ELOOP)$/.test(String(errorCodeOf(cause)))
  if (isBroken) return withProblem(path, 'missing', 'is a broken link', { cause })
  return withProblem(path, 'unreadable', `cannot be read: ${reasonOf(cause)}`, { cause })
}

async function matchPattern(pattern: string, { folders }: Expansion): Promise<readonly UploadItem[]> {
  const files = await folders.matching(pattern)
  return files.length > 0 ? files.map((file) => ({ file })) : [withProblem(pattern, 'missing', 'matches no file')]
}

function withProblem(
  file: string,
  problem: SourceProblem,
  words: string,
  details: { readonly hint?: string; readonly cause?: unknown } = {},
): UploadItem {
  return { file, problem: new SourceError(problem, `${shownFile(file) || '""'} ${words}`, details) }
}

async function statOrUndefined(path: string): Promise<Stats | undefined> {
  return await statOf(path).catch(() => undefined)
}

/** What comes before `://`; undefined for a path. Two letters at least: `C://` is a drive of Windows. */
function schemeOf(text: string): string | undefined {
  return /^([a-z][a-z\d+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase()
}

/** Whether a text names a file on a site. A path of the same letters is written `./https://…`. */
function isUrl(text: string): boolean {
  return /^https?$/.test(schemeOf(text) ?? '')
}

/** The item of a text with a scheme: an address that `fh` fetches, or what is wrong with it. */
export function urlItem(text: string): UploadItem {
  const url = URL.parse(text)
  // A password would stand in the list of processes, in the output and in the shell's history.
  const hasUser = url === null ? text.includes('@') : url.username + url.password !== ''
  const file = hasUser ? text.replace(/\/\/.*@/s, '//***@') : text
  const isSent = url !== null && !hasUser && isUrl(text)
  if (!isSent) {
    const what = hasUser
      ? 'has a user name or a password in it, which fh does not send'
      : 'is no http or https address that fh can fetch'
    return withProblem(file, 'unreadable', what, { hint: hints.downloadFirst })
  }
  url.hash = ''
  return { file: text, url: url.href, name: nameInUrl(url.href) }
}

/** The same items, with their sizes, or the problem of a file that is not there: a long batch tells it at once. */
export async function withSizes(items: readonly UploadItem[]): Promise<readonly UploadItem[]> {
  const withSize = async (item: UploadItem): Promise<UploadItem> => {
    if (item.problem || !isOnDisk(item)) return item
    try {
      return { ...item, bytes: (await statOf(item.file)).size }
    } catch (error) {
      const problem = toSourceError(item.file, error)
      return problem instanceof SourceError ? { ...item, problem } : item
    }
  }
  return await Promise.all(items.map(withSize))
}

/** Whether an item is read from its path. */
export function isOnDisk({ stream, url }: UploadItem): boolean {
  return stream === undefined && url === undefined
}

/** What each has to send, in bytes; undefined where it is not known, as of standard input. */
export function bytesToSend(items: readonly UploadItem[]): readonly (number | undefined)[] {
  return items.map((item) => (item.problem === undefined && !isOnDisk(item) ? undefined : (item.bytes ?? 0)))
}
