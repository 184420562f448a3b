import { argumentErrorCodes, CodedError } from '../src/checks/coded-error.ts'

/**
 * Every `code` of an error of the emulator; a new release may add to them. Those that the control API has too mean the
 * same there.
 */
export type EmulatorErrorCode = (typeof emulatorErrorCodes)[number]

export const emulatorErrorCodes = [
  'cannot-listen',
  'clock-not-own',
  'clock-not-virtual',
  'data-not-written',
  'emulator-closed',
  'invalid-seed',
  'invalid-snapshot',
  'no-such-account',
  'no-such-fault',
  'no-such-upload',
  'not-as-expected',
  'port-taken',
  'taken',
  'unusable-data-folder',
  'unusable-tls',
  ...argumentErrorCodes,
] as const

/** An error of the emulator that only its `code` tells from others. */
export class EmulatorError extends CodedError {
  override readonly name: string = 'EmulatorError'
  readonly code: EmulatorErrorCode

  constructor(code: EmulatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A valid call that the current state does not allow. */
export class ConflictError extends EmulatorError {
  override readonly name: string = 'ConflictError'
}

/** Shows on the emulator's output an error of which no client learns. */
export function tellError(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
