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
