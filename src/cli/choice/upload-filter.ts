import type { Client, Upload } from '../../index.ts'
import { parseCreatedAt } from '../../internal.ts'
import { essence } from '../../protocol/media-types.ts'
import { counted } from '../../protocol/quantities.ts'
import type { NameOf } from '../../uploads/names.ts'
import { allPages } from './all-pages.ts'

/** Which uploads are meant: those for which all of these hold. */
export interface UploadFilter {
  /** `image`, `video` or a MIME type. */
  readonly type?: string
  /** Uploaded at this time or later, in epoch milliseconds. */
  readonly since?: number
  /** Uploaded before this time, in epoch milliseconds. */
  readonly before?: number
  readonly larger?: number
  readonly smaller?: number
  /** Whether a name is meant. An upload without a name is not. */
  readonly name?: (name: string) => boolean
}

/** `undated`: only its time is asked for and cannot be read. */
export type FilterMatch = 'matches' | 'differs' | 'undated'

/** Judges one upload. What is not proven does not match: `fh delete` deletes what does. */
export function judge(upload: Upload, filter: UploadFilter, nameOf: NameOf): FilterMatch {
  const { type, since, before, larger, smaller, name } = filter
  const fits =
    (type === undefined || isOfType(upload.mime_type, type)) &&
    (larger === undefined || upload.size > larger) &&
    (smaller === undefined || upload.size < smaller) &&
    (name === undefined || isNamed(nameOf(upload), name))
  if (!fits) return 'differs'
  if (since === undefined && before === undefined) return 'matches'
  const at = parseCreatedAt(upload.created_at)
  if (at === undefined) return 'undated'
  return at >= (since ?? Number.NEGATIVE_INFINITY) && at < (before ?? Number.POSITIVE_INFINITY) ? 'matches' : 'differs'
}

function isOfType(mimeType: string, type: string): boolean {
  return type.includes('/') ? essence(mimeType) === type : essence(mimeType).startsWith(`${type}/`)
}

function isNamed(name: string | null, isMeant: (name: string) => boolean): boolean {
  return name !== null && isMeant(name)
}

/** Services sort by local time, of which up to two hours come twice when clocks are set back. */
const REPEATED_MS = 7_200_000

/**
 * Tells when the rest of a list is older than `since`: after a page of which all is, in a list that is newest first so far,
 * as spec 4.2 has it.
 *
 * @param since epoch milliseconds; undefined where any age is meant
 * @returns whether the rest is too old after this page
 */
export function createAgeWatch(since = Number.NEGATIVE_INFINITY): (page: readonly Upload[]) => boolean {
  let oldest = Number.POSITIVE_INFINITY
  let isInOrder = true
  return (page) => {
    let newest = Number.NEGATIVE_INFINITY
    for (const { created_at } of page) {
      const at = parseCreatedAt(created_at)
      if (at === undefined) continue
      if (at > oldest + REPEATED_MS) isInOrder = false
      oldest = Math.min(oldest, at)
      newest = Math.max(newest, at)
    }
    return isInOrder && newest > Number.NEGATIVE_INFINITY && newest < since - REPEATED_MS
  }
}

export interface MatchingTools {
  readonly client: Pick<Client, 'list'>
  readonly nameOf: NameOf
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/**
 * The uploads that a filter means, newest first. Reads the list to its end, at a unit per page, or until its order proves
 * that all others are too old. Says at the end how many uploads have no readable time, where one is asked for.
 */
export async function* matchingUploads(
  filter: UploadFilter,
  { client, nameOf, note, signal }: MatchingTools,
): AsyncGenerator<Upload, void, undefined> {
  const isRestTooOld = createAgeWatch(filter.since)
  let undated = 0
  for await (const page of allPages(client, signal)) {
    for (const upload of page) {
      const verdict = judge(upload, filter, nameOf)
      if (verdict === 'matches') yield upload
      if (verdict === 'undated') undated += 1
    }
    if (isRestTooOld(page)) break
  }
  if (undated > 0) note(`Left out, because the time in created_at cannot be read: ${counted(undated, 'upload')}`)
}
