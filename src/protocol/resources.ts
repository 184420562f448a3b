import { aListOf, anObjectHaving, type Kind, kind, Mismatch } from '../checks/values.ts'

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

/** A slug of digits may arrive as a number; its text is the same. */
const text = kind('a string', (found) => {
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' ? found : undefined
})

/** A text that is part of paths, so it must not be empty. */
const filledText: Kind<string> = {
  ...text,
  read(found) {
    const read = text.read(found)
    return read instanceof Mismatch || read.trim() !== '' ? read : new Mismatch('a string that is not empty', read)
  },
}

/** Reads "1234" as 1234 too, because sums may arrive as strings from the service's database. */
const count = kind('a number', (found) => {
  const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined
})

/** Reads null as 0: SQL's sum over no rows. */
const countOrZero: Kind<number> = { ...count, read: (found) => (found === null ? 0 : count.read(found)) }

/** Reads a missing value as null. */
function orNull<Value>({ accepts, read }: Kind<Value>): Kind<Value | null> {
  return { accepts, read: (found) => (found === null || found === undefined ? null : read(found)) }
}

const list = <Value>(item: Kind<Value>) => aListOf(item, 'an array')

/** The fields that the spec does not name are kept as they are. */
const upload: Kind<Upload> = anObjectHaving({
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

const pageLinks: Kind<UploadPage['links']> = list(
  anObjectHaving({
    url: orNull(text),
    // An object from outside may have a toString that is none.
    label: kind('a string', (found) => (typeof found === 'object' ? '' : String(found ?? ''))),
    active: kind('true or false', (found) => found === true),
  }),
)

const uploadPage: Kind<UploadPage> = anObjectHaving({
  current_page: count,
  data: list(upload),
  first_page_url: orNull(text),
  from: orNull(count),
  last_page: count,
  last_page_url: orNull(text),
  links: { ...pageLinks, read: (found) => pageLinks.read(found ?? []) },
  next_page_url: orNull(text),
  path: orNull(text),
  per_page: count,
  prev_page_url: orNull(text),
  to: orNull(count),
  total: count,
})

const stats: Kind<Stats> = anObjectHaving({
  uploads: count,
  albums: countOrZero,
  total_views: countOrZero,
  api_requests: countOrZero,
})

/** Reads a body. @throws ParseError that names a field that is missing or of the wrong type */
type Parser<Resource> = (body: unknown) => Resource

function parserOf<Resource>({ read }: Kind<Resource>): Parser<Resource> {
  return (body) => {
    const resource = read(body)
    if (!(resource instanceof Mismatch)) return resource
    const { at, accepts, found } = resource
    throw new ParseError(at.slice(1) || 'body', accepts, found)
  }
}

export const parseUpload = parserOf(upload)
export const parseUploadPage = parserOf(uploadPage)
export const parseStats = parserOf(stats)
const parseEnvelope = parserOf(anObjectHaving({ upload }))

/** Reads `{ "upload": … }`, the answer to an upload and to a show (spec 4.1, 4.3). */
export const parseUploadEnvelope: Parser<Upload> = (body) => parseEnvelope(body).upload

function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  // The whole text or none of it: half a secret would not be recognised and redacted.
  if (typeof value === 'string') return value.length > 40 ? 'a long text' : `the string ${JSON.stringify(value)}`
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`
}

/** Texts that the spec states word for word (spec 4.1, 5, 7). */
export const serviceMessages = {
  invalidKey: 'Invalid API key.',
  suspended: 'Access suspended by administrator.',
  apiDisabled: 'API temporarily disabled.',
  fileRequired: 'The file field is required.',
} as const

/** The parts of an error answer, of either shape, that the body has. */
export interface ParsedErrorBody {
  /** The service's own words: `error`, else `message`. */
  readonly message?: string
  /** Which field is for the words, which may be empty: `error` (spec 7.1) or `message` (spec 7.2). */
  readonly shape?: 'error' | 'message'
  readonly fields?: Readonly<Record<string, readonly string[]>>
}

/** Reads an error answer of any shape; never throws, because its status has to be reported in any case. */
export function parseErrorBody(body: unknown): ParsedErrorBody {
  if (typeof body !== 'object' || body === null) return {}
  const { error, message, errors } = body as Record<string, unknown>
  const fields = parseFieldErrors(errors)
  const words = nonEmptyString(error) ?? nonEmptyString(message)
  const shape = shapeOf(error, message)
  return {
    ...(words !== undefined && { message: words }),
    ...(shape !== undefined && { shape }),
    ...(fields === undefined ? {} : { fields }),
  }
}

/** A service that has nothing to say leaves its words empty. */
function shapeOf(error: unknown, message: unknown): ParsedErrorBody['shape'] {
  if (nonEmptyString(error)) return 'error'
  if (typeof message === 'string' && (nonEmptyString(message) || typeof error !== 'string')) return 'message'
  return typeof error === 'string' ? 'error' : undefined
}

function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function parseFieldErrors(errors: unknown): Record<string, string[]> | undefined {
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return undefined
  const entries = Object.entries(errors).map(([field, texts]): [string, string[]] => [
    field,
    (Array.isArray(texts) ? texts : [texts]).map(String),
  ])
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
