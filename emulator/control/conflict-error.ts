import { EmulatorError } from '../emulator-error.ts'

/** A valid call that the current state does not allow. */
export class ConflictError extends EmulatorError {
  override readonly name: string = 'ConflictError'
}
