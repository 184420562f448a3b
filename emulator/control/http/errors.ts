import { ConflictError, tellError } from '../../emulator-error.ts'
import { MissingRecordError, TakenError } from '../../service/refusal.ts'
import { SnapshotError } from '../../state/snapshot-blobs.ts'
import { VerificationError } from '../verification-error.ts'

export interface ControlError {
  readonly status: number
  readonly body: {
    readonly error: {
      /** Stable; for programs. */
      readonly code: string
      readonly message: string
      /** What to do about it. */
      readonly hint?: string
      /** Of a failed verification: the expected and found numbers, and the closest requests. */
      readonly expected?: VerificationError['expected']
      readonly found?: number
      readonly near_misses?: VerificationError['nearMisses']
    }
  }
}

export function controlError(status: number, code: string, message: string, hint?: string): ControlError {
  return { status, body: { error: { code, message, ...(hint === undefined ? {} : { hint }) } } }
}

/** The status and code of everything that a call can throw. */
export function toControlError(error: unknown): ControlError {
  if (error instanceof MissingRecordError) return controlError(404, error.code, error.message)
  if (error instanceof VerificationError) {
    const { code, message, expected, found, nearMisses: near_misses } = error
    return { status: 409, body: { error: { code, message, expected, found, near_misses } } }
  }
  if (error instanceof TakenError || error instanceof ConflictError) return controlError(409, error.code, error.message)
  if (error instanceof SnapshotError) return controlError(422, error.code, error.message)
  if (error instanceof TypeError || error instanceof RangeError)
    return controlError(422, 'invalid-value', error.message)
  tellError(error)
  return controlError(500, 'internal-error', error instanceof Error ? error.message : String(error))
}
