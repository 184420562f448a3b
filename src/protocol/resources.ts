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

/** @throws ParseError that names a field that is missing or of the wrong type */
export function parseUpload(value: unknown, at = 'upload'): Upload {
  const fields = object(value, at)
  return {
    ...fields,
    slug: filledText(fields, 'slug', at),
    title: textOrNull(fields, 'title', at),
    url: text(fields, 'url', at),
    direct_url: text(fields, 'direct_url', at),
    thumb_url: textOrNull(fields, 'thumb_url', at),
    mime_type: text(fields, 'mime_type', at),
    size: count(fields, 'size', at),
    views: countOrZero(fields, 'views', at),
    likes: countOrZero(fields, 'likes', at),
    created_at: text(fields, 'created_at', at),
  }
}

/**
 * Reads `{ "upload": … }`, the answer to an upload and to a show (spec 4.1, 4.3).
 * @throws ParseError that names a field that is missing or of the wrong type
 */
export function parseUploadEnvelope(value: unknown): Upload {
  return parseUpload(object(value, 'body')['upload'])
}

/** @throws ParseError that names a field that is missing or of the wrong type */
export function parseUploadPage(value: unknown): UploadPage {
  const fields = object(value, 'body')
  const data = list(fields['data'], 'data').map((item, index) => parseUpload(item, `data[${index}]`))
  return {
    ...fields,
    current_page: count(fields, 'current_page', ''),
    data,
    first_page_url: textOrNull(fields, 'first_page_url', ''),
    from: countOrNull(fields, 'from', ''),
    last_page: count(fields, 'last_page', ''),
    last_page_url: textOrNull(fields, 'last_page_url', ''),
    links: list(fields['links'] ?? [], 'links').map((item, index) => parsePageLink(item, `links[${index}]`)),
    next_page_url: textOrNull(fields, 'next_page_url', ''),
    path: textOrNull(fields, 'path', ''),
    per_page: count(fields, 'per_page', ''),
    prev_page_url: textOrNull(fields, 'prev_page_url', ''),
    to: countOrNull(fields, 'to', ''),
    total: count(fields, 'total', ''),
  }
}

/** @throws ParseError that names a field that is missing or of the wrong type */
export function parseStats(value: unknown): Stats {
  const fields = object(value, 'body')
  return {
    ...fields,
    uploads: count(fields, 'uploads', ''),
    albums: countOrZero(fields, 'albums', ''),
    total_views: countOrZero(fields, 'total_views', ''),
    api_requests: countOrZero(fields, 'api_requests', ''),
  }
}

function parsePageLink(value: unknown, at: string): PageLink {
  const fields = object(value, at)
  return {
    ...fields,
    url: textOrNull(fields, 'url', at),
    label: String(fields['label'] ?? ''),
    active: fields['active'] === true,
  }
}

type Fields = Readonly<Record<string, unknown>>

function object(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new ParseError(at, 'an object', value)
}

function list(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new ParseError(at, 'an array', value)
}

function text(fields: Fields, name: string, at: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  // A slug of digits may arrive as a number; its text is the same.
  if (typeof value === 'number') return String(value)
  throw new ParseError(place(at, name), 'a string', value)
}

/** A text that is part of paths, so it must not be empty. */
function filledText(fields: Fields, name: string, at: string): string {
  const value = text(fields, name, at)
  if (value.trim() === '') throw new ParseError(place(at, name), 'a string that is not empty', value)
  return value
}

function textOrNull(fields: Fields, name: string, at: string): string | null {
  return fields[name] === null || fields[name] === undefined ? null : text(fields, name, at)
}

/** Reads "1234" as 1234 too, because sums may arrive as strings from the service's database. */
function count(fields: Fields, name: string, at: string): number {
  const value = fields[name]
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof parsed === 'number' && Number.isFinite(parsed)) return parsed
  throw new ParseError(place(at, name), 'a number', value)
}

function countOrNull(fields: Fields, name: string, at: string): number | null {
  return fields[name] === null || fields[name] === undefined ? null : count(fields, name, at)
}

/** Reads null as 0: SQL's sum over no rows. */
function countOrZero(fields: Fields, name: string, at: string): number {
  return fields[name] === null ? 0 : count(fields, name, at)
}

function place(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  // The whole text or none of it: half a secret would not be recognised and redacted.
  if (typeof value === 'string') return value.length > 40 ? 'a long text' : `the string ${JSON.stringify(value)}`
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`
}
