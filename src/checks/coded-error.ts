/** An error that programs know by its `code`, and that keeps its words as JSON. */
export abstract class CodedError extends Error {
  /** Stable, for programs to compare. */
  abstract readonly code: string

  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this)
  }
}

/** Something for Node was loaded for a browser. */
export class BrowserError extends CodedError {
  override readonly name = 'BrowserError'
  readonly code = 'not-for-browsers'
  /** What to do instead. */
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** The codes of wrong arguments: a value that is not taken, and a name that does not exist. */
export const argumentErrorCodes = ['invalid-value', 'unknown-option'] as const

type ArgumentErrorCode = (typeof argumentErrorCodes)[number]

/** A wrong argument: a TypeError with a `code`, as Node's own have. */
export class ArgumentError<Code extends string = ArgumentErrorCode> extends TypeError {
  /** What Node prints before the message. */
  static override readonly name: string = 'TypeError'
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this)
  }
}

/** A number of the right type outside its range: a RangeError with a `code`. */
export class OutOfRangeError extends RangeError {
  static override readonly name = 'RangeError'
  readonly code = 'invalid-value'

  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this)
  }
}

/** The error for a value that is not taken. */
export function invalidValue(message: string, cause?: unknown): ArgumentError {
  return new ArgumentError('invalid-value', message, cause === undefined ? undefined : { cause })
}

/** An error for `JSON.stringify`, which by itself leaves out the message: of the cause, what a reader needs. */
export function errorJson(error: Error): Readonly<Record<string, unknown>> {
  const { name, message, code, hint, stack: _, cause, ...others } = error as Error & { code?: unknown; hint?: unknown }
  return { name, message, code, hint, ...others, cause: causeJson(cause) }
}

/** Not the fields of a foreign error: they may be anything, such as a socket or a request with its headers. */
function causeJson(cause: unknown): unknown {
  if (!(cause instanceof Error)) return typeof cause === 'object' ? undefined : cause
  const { name, message, code } = cause as NodeJS.ErrnoException
  return { name, message, code }
}

/** The most characters of a value that a message repeats. */
const longestQuote = 100

/** Quotes an untrusted value in a message: as JSON, shortened, or by its kind if JSON does not show it. */
export function quoted(value: unknown): string {
  if (typeof value === 'string' || isPlain(value)) {
    const text = asJson(value)
    return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  }
  return kindOf(value)
}

/** What a value is, without its content, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${shortened(value.name)}`
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = nameOf(value)
  return name === 'Object' ? 'an object' : `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${shortened(name)}`
}

/** Whether JSON shows the value: `{}` would stand for a Map or an AbortController. */
export function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return false
  return typeof value !== 'object' || value === null || Array.isArray(value) || nameOf(value) === 'Object'
}

function nameOf(value: object): string {
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'Object'
}

function shortened(name: string): string {
  return name.slice(0, longestQuote)
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    if (typeof value === 'bigint') return `${value}n`
    return Array.isArray(value) ? 'a list that is not JSON' : 'an object that is not JSON'
  }
}
