import { type Command, InvalidArgumentError, Option } from 'commander'
import { eachPage } from '../../client/each-page.ts'
import { parseCreatedAt } from '../../client/exactly-once/candidates.ts'
import { systemClock } from '../../clock.ts'
import type { Client, Upload } from '../../index.ts'
import { essence, mediaTypes } from '../../protocol/media-types.ts'
import { readByteSize, readDuration } from '../../protocol/quantities.ts'
import type { NameOf } from '../../uploads/names.ts'
import { parseGlob } from '../input/glob.ts'
import { notes } from '../output/notes.ts'

/** Which uploads are meant: those for which all of these hold. Times are in epoch milliseconds. */
export interface UploadFilter {
  /** `image`, `video` or a MIME type. */
  readonly type?: string | undefined
  /** Uploaded at this time or later. */
  readonly since?: number | undefined
  /** Uploaded before this time. */
  readonly before?: number | undefined
  /** The same, of `fh delete` only. */
  readonly olderThan?: number | undefined
  readonly larger?: number | undefined
  readonly smaller?: number | undefined
  /** Whether a name is meant. An upload without a name is not. */
  readonly name?: ((name: string) => boolean) | undefined
}

const uploadTypes: readonly string[] = ['image', 'video', ...mediaTypes.map(({ mimeType }) => mimeType)]

/** Declares the filters that list, download and delete share. */
export function addFilterFlags(command: Command): Command {
  return command
    .optionsGroup('Which uploads:')
    .addOption(new Option('--type <type>', 'only this kind').choices(uploadTypes))
    .option('--since <when>', 'uploaded since: 7d (days back), 2026-11-20', (text) => readMoment(text))
    .option('--before <when>', 'uploaded before: 12h, 2026-11-20T10:00', (text) => readMoment(text))
    .option('--larger <size>', 'larger than this, such as 10MB', readSize)
    .option('--smaller <size>', 'smaller than this', readSize)
    .option('--name <glob>', "whose name matches, such as 'IMG_*.{jpg,png}'", readName)
}

export function isFiltered({ type, since, before, olderThan, larger, smaller, name }: UploadFilter): boolean {
  return [type, since, before, olderThan, larger, smaller, name].some((given) => given !== undefined)
}

function readSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes === undefined) throw new InvalidArgumentError('Give 10MB, 512KB or a number of bytes.')
  return bytes
}

/** What is said where a filter means no upload. */
export function noUploads({ name }: UploadFilter): string {
  return name === undefined ? notes.none('uploads') : notes.noneByName
}

/** A name has no folders: in a title, a slash is a character like any other. */
const withoutFolders = (text: string) => text.replaceAll('/', '\0')

function readName(text: string): (name: string) => boolean {
  const matches = parseGlob(withoutFolders(text))
  return (name) => matches(withoutFolders(name))
}

/**
 * Reads a time in the past: a duration back from now with its unit, such as `7d`, or a date: `2026-11-20` (its beginning),
 * `2026-11-20T10:00`, both in the local time zone, or with a `Z` or an offset.
 *
 * @returns epoch milliseconds
 * @throws InvalidArgumentError
 */
export function readMoment(text: string, now: number = systemClock.now()): number {
  const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?)?$/i
  const [, day, time = '00:00', zone = ''] = form.exec(text.trim()) ?? []
  // A bare number would be seconds, and 2026 a year that lacks its month.
  const back = /\d\s*$/.test(text) ? undefined : readDuration(text)
  const moment = day === undefined ? now - (back ?? Number.NaN) : Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  // Date moves 31 February on into March, in silence.
  const exists = day === undefined || new Date(`${day}T00:00Z`).toJSON()?.startsWith(day)
  // One to come would mean all uploads to fh delete --before.
  if (exists && moment < now) return moment
  throw new InvalidArgumentError(
    'Give 7d or 12h, back from now, or a date: 2026-11-20, 2026-11-20T10:00. It has to be past.',
  )
}

/** Whether one upload is meant. What is not proven is not: `fh delete` deletes what is. */
export function isMeant(upload: Upload, filter: UploadFilter, nameOf: NameOf): boolean {
  const { type, since, olderThan, before = olderThan, larger, smaller, name } = filter
  const fits =
    (type === undefined || isOfType(upload.mime_type, type)) &&
    (larger === undefined || upload.size > larger) &&
    (smaller === undefined || upload.size < smaller) &&
    (name === undefined || isNamed(nameOf(upload), name))
  if (!fits || (since === undefined && before === undefined)) return fits
  const at = parseCreatedAt(upload.created_at)
  if (at === undefined) return false
  return at >= (since ?? Number.NEGATIVE_INFINITY) && at < (before ?? Number.POSITIVE_INFINITY)
}

function isOfType(mimeType: string, type: string): boolean {
  return type.includes('/') ? essence(mimeType) === type : essence(mimeType).startsWith(`${type}/`)
}

function isNamed(name: string | null, matches: (name: string) => boolean): boolean {
  return name !== null && matches(name)
}

/** Services sort by local time, of which up to two hours come twice when clocks are set back. */
const REPEATED_MS = 7_200_000

/**
 * The uploads that a filter means, newest first. Reads the list to its end, at a unit per page, or to a page that is older
 * than `since`, because the newest come first (spec 4.2).
 */
export async function* matchingUploads(
  filter: UploadFilter,
  tools: { readonly client: Pick<Client, 'list'>; readonly nameOf: NameOf; readonly signal: AbortSignal },
): AsyncGenerator<Upload, void, undefined> {
  const { client, nameOf, signal } = tools
  const oldest = (filter.since ?? Number.NEGATIVE_INFINITY) - REPEATED_MS
  for await (const page of eachPage((page) => client.list({ page, signal }))) {
    for (const upload of page) if (isMeant(upload, filter, nameOf)) yield upload
    const times = page.map(({ created_at }) => parseCreatedAt(created_at) ?? Number.POSITIVE_INFINITY)
    if (page.length > 0 && Math.max(...times) < oldest) break
  }
}
