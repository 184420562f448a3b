import { errorJson } from './error-json.ts'

/** An error that programs know by its `code`, and that keeps its words as JSON. */
export abstract class CodedError extends Error {
  /** Stable, for programs to compare. */
  abstract readonly code: string

  toJSON(): Readonly<Record<string, unknown>> {
    return errorJson(this)
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
