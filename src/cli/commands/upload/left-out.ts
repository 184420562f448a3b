import { extname } from 'node:path'
import { prepareSource } from '../../../client/sources/upload-source.ts'
import { acceptedMediaType, isoVariety } from '../../../protocol/media-types.ts'
import { counted } from '../../../protocol/quantities.ts'
import type { Context } from '../../context/context.ts'
import { hints } from '../../failures/hints.ts'
import { fileNames } from '../../format/format.ts'
import { notes } from '../../output/notes.ts'

/** A picture or video in a folder, of a type that the service does not take. */
export interface LeftOutMedia {
  readonly file: string
  /** For people, in the singular. */
  readonly kind: string
  readonly mimeType: string | null
  /** In bytes. */
  readonly size: number | null
}

/** Undefined for a file that is neither picture nor video. */
export type WrongType = LeftOutMedia | undefined

/**
 * Judges a file of a folder by its content.
 * @returns 'accepted' also for a file that cannot be opened: uploading it reports the error
 */
export async function judgeFile(file: string): Promise<'accepted' | WrongType> {
  try {
    const source = await prepareSource(file, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true })
    source.close()
    const { mimeType, size = null, head } = source
    if (acceptedMediaType(mimeType) !== undefined) return 'accepted'
    const known = mimeType === 'application/octet-stream' ? null : mimeType
    const kind = otherMediaKind(file, known ?? undefined, head)
    return kind === undefined ? undefined : { file, kind, mimeType: known, size }
  } catch {
    return 'accepted'
  }
}

/** Says what was left out: pictures and videos by kind, all else in one line. @returns the former, sorted by path */
export function reportWrongTypes(
  found: ReadonlyMap<string, WrongType>,
  { note, warn }: Context,
): readonly LeftOutMedia[] {
  const paths = [...found.keys()].sort()
  const others = paths.filter((path) => found.get(path) === undefined)
  if (others.length > 0) note(notes.leftOut(fileNames(others), others.length))
  const leftOut = paths.flatMap((path) => found.get(path) ?? [])
  const kinds = leftOut.map(({ kind }) => kind)
  const ways = new Set(kinds.map((kind) => (kind.startsWith('damaged ') ? 'copy' : 'convert')))
  const them = kinds.length > 1 ? 'them' : 'it'
  const convert = ways.has('copy') ? 'Convert them, and copy damaged ones again from the original' : `Convert ${them}`
  const hint = hints.anyType(ways.has('convert') ? convert : `Copy ${them} again from the original`)
  if (kinds.length > 0) warn({ message: notes.leftOut(kindCounts(kinds), kinds.length), hint })
  return leftOut
}

/** `60 HEIC photos, 1 MKV video`. */
function kindCounts(kinds: readonly string[]): string {
  const count = (kind: string) => kinds.filter((other) => other === kind).length
  return [...new Set(kinds)].map((kind) => counted(count(kind), kind)).join(', ')
}

/**
 * The pictures and videos that the service does not take: extensions, and MIME types where the bytes tell them. A raw
 * photo begins like a TIFF, so names come before bytes.
 */
const otherMedia: readonly (readonly [kind: string, extensions: string, mimeTypes?: string])[] = [
  ['HEIC photo', 'heic heics hif', 'image/heic'],
  ['HEIF photo', 'heif heifs', 'image/heif'],
  [
    'raw photo',
    '3fr ari arw bay cr2 cr3 crw dcr dng eip erf gpr iiq k25 kdc mef mos mrw nef nrw orf pef raf rw2 rwl sr2 srf srw x3f',
  ],
  ['AVIF picture', 'avif avifs', 'image/avif'],
  ['TIFF picture', 'tif tiff', 'image/tiff'],
  ['BMP picture', 'bmp dib', 'image/x-ms-bmp'],
  ['SVG picture', 'svg svgz', 'image/svg+xml'],
  ['unsupported picture', 'exr hdp ico j2c j2k jp2 jpf jpm jpx jxl jxr psb psd tga wdp'],
  ['MKV video', 'mk3d mkv', 'video/x-matroska'],
  ['AVI video', 'avi divx', 'video/x-msvideo'],
  ['M4V video', 'm4v', 'video/x-m4v'],
  ['MPEG video', 'm2v mpe mpeg mpg vob', 'video/mpeg'],
  ['MPEG-TS video', 'm2t m2ts mts ts'],
  ['3GP video', '3g2 3gp 3gpp', 'video/3gpp video/3gpp2'],
  ['unsupported video', 'asf f4v flv mxf ogm ogv rm rmvb wmv'],
  // These are taken, but not with other bytes.
  ['picture', 'gif jfif jpe jpeg jpg png webp'],
  ['video', 'mov mp4 qt webm'],
]

const wordsOf = (words = '', kind: string) => words.split(' ').map((word) => [word, kind] as const)
const byExtension = new Map(otherMedia.flatMap(([kind, extensions]) => wordsOf(extensions, kind)))
const byMimeType = new Map(otherMedia.flatMap(([kind, , mimeTypes]) => wordsOf(mimeTypes, kind)))
/** The names of programs in TypeScript too. */
const ambiguous = new Set(['ts', 'mts'])

/**
 * What a file is that the service does not take; undefined if it is neither picture nor video.
 * @param mimeType by its first bytes; undefined if they do not tell
 */
export function otherMediaKind(path: string, mimeType: string | undefined, head: Uint8Array): string | undefined {
  const extension = extname(path).slice(1).toLowerCase()
  const named = ambiguous.has(extension) && mimeType?.startsWith('text/') ? undefined : byExtension.get(extension)
  const read = mimeType === undefined ? undefined : byMimeType.get(mimeType)
  if (named !== 'picture' && named !== 'video') return named ?? read
  if (read === undefined && isCut(head)) return `damaged ${named}`
  return read ?? isoVariety(head) ?? `unrecognised ${named}`
}

/** The smallest whole pictures have 26 bytes. Some copies that break off leave nothing but zeros. */
function isCut(head: Uint8Array): boolean {
  return head.length < 26 || head.every((byte) => byte === 0)
}
