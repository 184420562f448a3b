import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere } from '../../../client/download/download-target.ts'
import { DownloadError } from '../../../client/errors.ts'
import type { Upload } from '../../../index.ts'
import { acceptedMediaType } from '../../../protocol/media-types.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import type { NameOf } from '../../../uploads/names.ts'
import { hints } from '../../failures/hints.ts'
import { controls } from '../../format/format.ts'

export interface Naming {
  readonly outputDir: string
  /** Whether to replace existing files. */
  readonly force: boolean
  readonly nameOf: NameOf
  /** File names used in this run, in lower case: some file systems ignore case. */
  readonly taken: Set<string>
}

/**
 * An upload's name is the name of its file if no other file has that, else it gets the slug as well. An earlier run may
 * have chosen the longer one.
 */
export async function choosePath(upload: Upload, { outputDir, force, nameOf, taken }: Naming): Promise<string> {
  const inFolder = (name: string) => join(outputDir, name)
  const name = nameOf(upload)
  const own = downloadName(upload, name, name === null ? '' : upload.slug)
  const plain = downloadName(upload, name)
  const isOwnThere = (await lstat(inFolder(own)).catch(() => undefined)) !== undefined
  const isOther = isOwnThere || (!force && (await isOtherFile(inFolder(plain), upload.size)))
  return inFolder(freeName(isOther || taken.has(plain.toLowerCase()) ? own : plain, taken))
}

/** Whether something is there that is not this upload's file, as far as its size tells. */
async function isOtherFile(path: string, size: number): Promise<boolean> {
  return await isThere(path, size).then(
    () => false,
    () => true,
  )
}

/** Two uploads of one run never get the same file name, even if the service gives them equal slugs. */
function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : name.replace(/(\.[^.]*)?$/, (extension) => `-${number}${extension}`)
    if (taken.has(candidate.toLowerCase())) continue
    taken.add(candidate.toLowerCase())
    return candidate
  }
}

/**
 * Makes a folder for downloads, with its missing parents.
 * @throws DownloadError of code `file-unwritable`
 */
export async function makeOutputFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    const message = `Cannot create the folder ${path}: ${reasonOf(cause)}`
    throw new DownloadError('file-unwritable', message, { hint: hints.folder, cause })
  })
}

/** Windows reserves these names for devices, with any extension. */
const deviceNames = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]) *$/i
/** File systems allow 255 bytes; the extension, a slug and the name of a part file need the rest. */
const LONGEST_BYTES = 150

/**
 * A safe file name for an upload: its name, or else its slug, with the extension of its raw file. The service and the
 * record may hold any text, but the name is never a path, a hidden file or a flag, and may stand on every system.
 * @param mark distinguishes uploads of one name
 */
export function downloadName(
  { slug, direct_url, mime_type }: Pick<Upload, 'slug' | 'direct_url' | 'mime_type'>,
  name: string | null = null,
  mark = '',
): string {
  const extension = extensionOf(direct_url) ?? acceptedMediaType(mime_type)?.extension
  const [stem, ending] = name === null ? [slug, extension] : splitEnding(name, extension)
  const plain = safe(stem)
  const marked = `${deviceNames.test(plain.replace(/\..*$/, '')) ? `_${plain}` : plain || '_'}${mark && `-${safe(mark)}`}`
  const whole = ending === undefined ? marked.replace(/[. ]$/, '_') : `${marked}.${ending}`
  // The name of a part file (FILE.part), its note or its lock would clash with another download.
  return whole.replace(/\.part(\.json|\.lock)?$/i, '_part$1')
}

/** Without separators, what controls a terminal or hides text, what is no character, and what Windows forbids. */
function safe(text: string): string {
  const plain = text
    .replace(controls, '_')
    .replace(/[/\\:*?"<>|\p{Cs}\p{Cn}]/gu, '_')
    .replace(/^[.-]/, '_')
  return cut(plain)
}

function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= LONGEST_BYTES) return text
  // Half a character is decoded as one that stands for it.
  const short = bytes.subarray(0, LONGEST_BYTES).toString()
  return short.replace(/\ufffd+$/, '')
}

/** The stem and the ending of the file: a name often has the raw file's extension already, perhaps in another spelling. */
function splitEnding(name: string, extension: string | undefined): readonly [string, string | undefined] {
  const own = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]
  const isSame = own !== undefined && extension !== undefined && spelling(own) === spelling(extension)
  return isSame ? [name.slice(0, -own.length - 1), own] : [name, extension]
}

function spelling(extension: string): string {
  return extension.toLowerCase().replace(/^jpe$|^jpeg$|^jfif$/, 'jpg')
}

function extensionOf(url: string): string | undefined {
  return /[^/]\.([a-z0-9]{1,8})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase()
}
