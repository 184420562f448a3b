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
export async function judgeFile(file: string): Promise<'accepted' | { readonly wrong: WrongType }> {
  try {
    const source = await prepareSource(file, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true })
    source.close()
    const { mimeType, size = null, head } = source
    if (acceptedMediaType(mimeType) !== undefined) return 'accepted'
    const known = mimeType === 'application/octet-stream' ? null : mimeType
    const kind = otherMediaKind(file, known ?? undefined, head)
    return { wrong: kind === undefined ? undefined : { file, kind, mimeType: known, size } }
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
  const them = kinds.length > 1 ? 'them' : 'it'
  const isAllCut = kinds.every((kind) => kind.startsWith('damaged'))
  const way = isAllCut ? `Copy ${them} again from the original` : `Convert ${them}`
  if (kinds.length > 0) warn({ message: notes.leftOut(kindCounts(kinds), kinds.length), hint: hints.anyType(way) })
  return leftOut
}

/** `60 HEIC photos, 1 MKV video`. */
function kindCounts(kinds: readonly string[]): string {
  const count = (kind: string) => kinds.filter((other) => other === kind).length
  return [...new Set(kinds)].map((kind) => counted(count(kind), kind)).join(', ')
}

/** Of types that the service takes. */
const [pictures, videos] = [/^(gif|jfif|jpe|jpeg|jpg|png|webp)$/, /^(mov|mp4|qt|webm)$/]

/**
 * What a file is that the service does not take, such as `HEIC picture`; undefined if nothing shows a picture or a video.
 * @param mimeType by its first bytes; undefined if they do not tell
 */
export function otherMediaKind(path: string, mimeType: string | undefined, head: Uint8Array): string | undefined {
  const extension = extname(path).slice(1).toLowerCase()
  const isTaken = pictures.test(extension) || videos.test(extension)
  const [, type, format = ''] = /^(image|video)\/(?:x-(?:ms-)?)?(\w+)/.exec(mimeType ?? '') ?? []
  if (type !== undefined) {
    // A raw photo begins like a TIFF, so names come before bytes. A name may hold anything.
    const name = isTaken || !/^\w{2,5}$/.test(extension) ? format : extension
    return `${name.toUpperCase()} ${type === 'image' ? 'picture' : 'video'}`
  }
  if (!isTaken) return undefined
  const named = pictures.test(extension) ? 'picture' : 'video'
  return isCut(head) ? `damaged ${named}` : (isoVariety(head) ?? `unrecognised ${named}`)
}

/** The smallest whole pictures have 26 bytes. Some copies that break off leave nothing but zeros. */
function isCut(head: Uint8Array): boolean {
  return head.length < 26 || head.every((byte) => byte === 0)
}
