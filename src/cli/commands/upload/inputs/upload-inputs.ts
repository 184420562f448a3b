import { acceptedMediaType, prepareSource } from '../../../../internal.ts'
import { counted } from '../../../../protocol/quantities.ts'
import type { Context } from '../../../context/context.ts'
import { usageError } from '../../../failures/cli-error.ts'
import { fileNames, printable } from '../../../format/format.ts'
import type { Warning } from '../../../output/events.ts'
import { checkFileName } from '../sources/spooled-file.ts'
import { isPattern, isSiteUrl } from './argument-kinds.ts'
import type { FileChoice } from './file-choice.ts'
import { byName, type LeftOutReason } from './folder-walk.ts'
import { expandArguments, isStdin, type UploadItem } from './upload-items.ts'

export interface UploadInputs {
  readonly paths: readonly string[]
  /** Path of a list of paths, or `-` for standard input. */
  readonly filesFrom?: string | undefined
  readonly null?: true
  readonly recursive?: true
  readonly hidden?: true
  readonly follow?: true
  /** Globs of the files to take from folders and patterns; empty for all. */
  readonly include: readonly string[]
  /** Globs of the files and folders to leave out there. */
  readonly exclude: readonly string[]
  readonly anyType?: true
  readonly name?: string | undefined
}

/** A picture or video in a folder, of a type that the service does not take. */
export interface LeftOutMedia {
  readonly file: string
  /** For people, in the singular. */
  readonly kind: string
  readonly mimeType: string | null
  /** In bytes. */
  readonly size: number | null
}

/**
 * Finds the files to upload, and reports files that were given more than once or left out.
 * @throws CliError of code `usage` if the flags do not go together, or the list cannot be read
 */
export async function collectItems(inputs: UploadInputs, context: Context) {
  checkInputs(inputs)
  const { note, warn, interruption } = context
  const { paths, filesFrom, recursive = false, hidden = false, follow = false, anyType } = inputs
  const signal = interruption.stopping
  const choice = await readFileChoice(inputs)
  const listed = filesFrom === undefined ? [] : await readList(filesFrom, inputs.null === true, context)
  const wrongTypes = new Map<string, LeftOutMedia | undefined>()
  const accepts = async (path: string) => {
    const content = await contentOf(path)
    const isAccepted = content === undefined || acceptedMediaType(content.mimeType ?? '') !== undefined
    if (!isAccepted) wrongTypes.set(path, await asMedia(path, content))
    return isAccepted
  }
  const { items, repeated } = await expandArguments(paths, listed, {
    ...{ recursive, hidden, follow, choice, signal, accepts: anyType ? undefined : accepts },
    onLeftOut: (path, reason) => note(`${printable(path)} ${leftOutText(reason)}: left out`),
  })
  // What is named besides is reported as refused.
  for (const { file } of items) wrongTypes.delete(file)
  const leftOut = reportWrongTypes(wrongTypes, context)
  if (items.length + wrongTypes.size === 0) note('No files found')
  for (const unmatched of choice?.unmatched() ?? []) {
    if (unmatched.flag === '--exclude') note(`--exclude '${printable(unmatched.glob)}' matches nothing`)
    else warn(includesNothing(unmatched.glob, hidden))
  }
  if (repeated.length > 0) note(`${fileNames(repeated)} given more than once; uploading once`)
  return { items: inputs.name === undefined ? items : withName(items, inputs.name), leftOut }
}

/** @returns the pictures and videos among them, sorted by path */
function reportWrongTypes(
  found: ReadonlyMap<string, LeftOutMedia | undefined>,
  { note, warn }: Context,
): readonly LeftOutMedia[] {
  const sorted = [...found].sort(([one], [other]) => byName(one, other))
  const others = sorted.flatMap(([path, media]) => (media === undefined ? [path] : []))
  if (others.length > 0) note(`${fileNames(others)} ${others.length > 1 ? 'are' : 'is'} of no accepted type: left out`)
  const leftOut = sorted.flatMap(([, media]) => media ?? [])
  const kinds = leftOut.map(({ kind }) => kind)
  const them = kinds.length > 1 ? 'them' : 'it'
  const message = `${kindCounts(kinds)} left out: the service does not take ${them}`
  const isAllCut = kinds.every((kind) => kind.startsWith('damaged'))
  const way = isAllCut ? `Copy ${them} again from the original` : `Convert ${them}`
  if (kinds.length > 0) warn({ message, hint: `${way}, or let the service decide with --any-type` })
  return leftOut
}

/** `60 HEIC photos, 1 MKV video`. */
function kindCounts(kinds: readonly string[]): string {
  const count = (kind: string) => kinds.filter((other) => other === kind).length
  return [...new Set(kinds)].map((kind) => counted(count(kind), kind)).join(', ')
}

function leftOutText(reason: LeftOutReason): string {
  if (reason === 'visited folder') return 'leads to a folder that is already included'
  return `is a ${reason.replace('link to ', 'link to a ')}${reason === 'link to folder' ? ', which -L follows' : ''}`
}

function includesNothing(glob: string, hidden: boolean): Warning {
  const namesHidden = /(^|\/)\.[^./]/.test(glob)
  const hint = `Capitals count, as in '*.{jpg,JPG}'${hidden || !namesHidden ? '' : '; hidden files need --hidden'}`
  return { message: `--include '${glob}' matches no file`, hint }
}

type MediaContent = Pick<LeftOutMedia, 'mimeType' | 'size'> & { readonly head: Uint8Array }

/** Undefined for a file that cannot be opened: uploading it reports the error. */
async function contentOf(path: string): Promise<MediaContent | undefined> {
  try {
    const source = await prepareSource(path, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true })
    source.close()
    const { mimeType, size = null, head } = source
    return { mimeType: mimeType === 'application/octet-stream' ? null : mimeType, size, head }
  } catch {
    return undefined
  }
}

/** Undefined for what is neither picture nor video. */
async function asMedia(file: string, { head, ...content }: MediaContent): Promise<LeftOutMedia | undefined> {
  const { otherMediaKind } = await import('./other-media.ts')
  const kind = otherMediaKind(file, content.mimeType ?? undefined, head)
  return kind === undefined ? undefined : { file, kind, ...content }
}

/** Gives the name to standard input, or else to the one item that is not read from a path. */
function withName(items: readonly UploadItem[], name: string): readonly UploadItem[] {
  const stdin = items.filter(({ stream }) => stream === 'stdin')
  const named = stdin.length > 0 ? stdin : items.filter((item) => item.name !== undefined)
  const [only] = named
  if (named.length > 1) throw usageError(`--name names one file, but there are ${named.length} URLs and pipes`)
  if (only === undefined && items.every(({ problem }) => problem === undefined)) {
    throw usageError('--name is for standard input, a URL or a pipe, and none is among the files')
  }
  return items.map((item) => (item === only ? { ...item, name } : item))
}

/** @throws CliError of code `usage` for a glob that cannot be read, or that would choose among nothing */
async function readFileChoice({ paths, recursive, include, exclude }: UploadInputs): Promise<FileChoice | undefined> {
  if (include.length + exclude.length === 0) return undefined
  if (!recursive && !paths.some((path) => isPattern(path) && !isSiteUrl(path))) {
    const flag = include.length > 0 ? '--include' : '--exclude'
    throw usageError(
      `${flag} needs a folder or a pattern to choose from`,
      `Add -r for folders, or quote a pattern such as 'shots/*.png'; named files are always uploaded`,
    )
  }
  const { createFileChoice } = await import('./file-choice.ts')
  return createFileChoice({ include, exclude, windows: process.platform === 'win32' })
}

async function readList(from: string, nul: boolean, context: Context): Promise<readonly string[]> {
  return await (await import('./path-list.ts')).readPathList(from, nul, context)
}

function checkInputs({ paths, filesFrom, null: nul, name }: UploadInputs): void {
  if (paths.length === 0 && filesFrom === undefined) {
    throw usageError('No files given', 'Give files, folders with -r, - for stdin, or a list of them with --files-from')
  }
  if (nul && filesFrom === undefined) throw usageError('-0 requires --files-from', 'Add --files-from')
  const uses = paths.filter(isStdin).length
  if (uses > 0 && filesFrom === '-') {
    throw usageError('Standard input (-) cannot be both the list and a file', 'Use a file for one of them')
  }
  if (uses > 1) throw usageError('Standard input (-) can be uploaded only once')
  if (name !== undefined) checkFileName(name)
}
