import { isObject } from '../checks/json.ts'
/** One uploaded file as the service describes it (spec 2.1). Fields that the spec does not name are kept. */
export interface Upload {
  readonly slug: string
  /** Set by the user on the site; null right after the upload. */
  readonly title: string | null
  /** The file's page on the site. */
  readonly url: string
  /** The raw file. */
  readonly direct_url: string
  /** Null until a thumbnail exists; there may never be one. */
  readonly thumb_url: string | null
  readonly mime_type: string
  /** In bytes. */
  readonly size: number
  /** Page, direct and embed views together. */
  readonly views: number
  readonly likes: number
  /** ISO 8601 with a numeric UTC offset. */
  readonly created_at: string
}

/** An entry of the paginator's navigation (spec 2.2). */
export interface PageLink {
  readonly url: string | null
  readonly label: string
  readonly active: boolean
}

/** One page of the list, newest first (spec 2.2). */
export interface UploadPage {
  readonly current_page: number
  readonly data: readonly Upload[]
  readonly first_page_url: string | null
  readonly from: number | null
  readonly last_page: number
  readonly last_page_url: string | null
  readonly links: readonly PageLink[]
  readonly next_page_url: string | null
  readonly path: string | null
  readonly per_page: number
  readonly prev_page_url: string | null
  readonly to: number | null
  readonly total: number
}

/** The account's statistics (spec 2.3). */
export interface Stats {
  readonly uploads: number
  readonly albums: number
  /** Feed views and direct file views of all uploads. */
  readonly total_views: number
  /** Requests logged so far, without this one. */
  readonly api_requests: number
}

/** A body that differs from the spec; `field` says where, such as `upload.size` or `data[3].slug`. */
export class ParseError extends Error {
  override readonly name = 'ParseError'
  readonly field: string

  constructor(field: string, expected: string, received: unknown) {
    super(`${field} should be ${expected}, but is ${describe(received)}`)
    this.field = field
  }
}

/** Reads one value; `place` is its name for errors. @throws ParseError */
type Reader<T> = (value: unknown, place: string) => T

/** How each field of a resource is read; the fields that the spec does not name are kept as they are. */
type Readers<T> = { readonly [Name in keyof T]: Reader<T[Name]> }

const object: Reader<Readonly<Record<string, unknown>>> = (value, place) => {
  if (isObject(value)) return value
  throw new ParseError(place, 'an object', value)
}

const text: Reader<string> = (value, place) => {
  if (typeof value === 'string') return value
  // A slug of digits may arrive as a number; its text is the same.
  if (typeof value === 'number') return String(value)
  throw new ParseError(place, 'a string', value)
}

/** A text that is part of paths, so it must not be empty. */
const filledText: Reader<string> = (value, place) => {
  const read = text(value, place)
  if (read.trim() === '') throw new ParseError(place, 'a string that is not empty', read)
  return read
}

/** Reads "1234" as 1234 too, because sums may arrive as strings from the service's database. */
const count: Reader<number> = (value, place) => {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof parsed === 'number' && Number.isFinite(parsed)) return parsed
  throw new ParseError(place, 'a number', value)
}

/** Reads null as 0: SQL's sum over no rows. */
const countOrZero: Reader<number> = (value, place) => (value === null ? 0 : count(value, place))

/** Reads a missing value as null. */
function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null || value === undefined ? null : read(value, place))
}

function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw new ParseError(place, 'an array', value)
    return value.map((item, index) => read(item, `${place}[${index}]`))
  }
}

const WHOLE_BODY = 'body'

function resource<T>(readers: Readers<T>): (value: unknown, place?: string) => T {
  return (value, place = WHOLE_BODY) => {
    const fields = object(value, place)
    const prefix = place === WHOLE_BODY ? '' : `${place}.`
    const read = Object.entries<Reader<unknown>>(readers).map(([name, readField]) => [
      name,
      readField(fields[name], `${prefix}${name}`),
    ])
    return { ...fields, ...Object.fromEntries(read) }
  }
}

/** Reads one upload. @throws ParseError that names a field that is missing or of the wrong type */
export const parseUpload = resource<Upload>({
  slug: filledText,
  title: orNull(text),
  url: text,
  direct_url: text,
  thumb_url: orNull(text),
  mime_type: text,
  size: count,
  views: countOrZero,
  likes: countOrZero,
  created_at: text,
})

/**
 * Reads `{ "upload": … }`, the answer to an upload and to a show (spec 4.1, 4.3).
 * @throws ParseError that names a field that is missing or of the wrong type
 */
export function parseUploadEnvelope(value: unknown): Upload {
  return parseUpload(object(value, WHOLE_BODY)['upload'], 'upload')
}

const pageLink = resource<PageLink>({
  url: orNull(text),
  label: (value) => String(value ?? ''),
  active: (value) => value === true,
})

/** Reads a page of the list. @throws ParseError that names a field that is missing or of the wrong type */
export const parseUploadPage = resource<UploadPage>({
  current_page: count,
  data: listOf(parseUpload),
  first_page_url: orNull(text),
  from: orNull(count),
  last_page: count,
  last_page_url: orNull(text),
  links: (value, place) => listOf(pageLink)(value ?? [], place),
  next_page_url: orNull(text),
  path: orNull(text),
  per_page: count,
  prev_page_url: orNull(text),
  to: orNull(count),
  total: count,
})

/** Reads the account's statistics. @throws ParseError that names a field that is missing or of the wrong type */
export const parseStats = resource<Stats>({
  uploads: count,
  albums: countOrZero,
  total_views: countOrZero,
  api_requests: countOrZero,
})

function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  // The whole text or none of it: half a secret would not be recognised and redacted.
  if (typeof value === 'string') return value.length > 40 ? 'a long text' : `the string ${JSON.stringify(value)}`
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`
}
