import { MissingRecordError, TakenError } from '../../service/refusal.ts'
import { SnapshotError } from '../../values/codec.ts'
import { ConflictError } from '../conflict-error.ts'
import { VerificationError } from '../verification.ts'

/** A call that was not done, as the control API tells it. */
export interface ControlFault {
  readonly status: number
  readonly body: {
    readonly error: {
      /** Stable, for programs. */
      readonly code: string
      readonly message: string
      /** What to do about it. */
      readonly hint?: string
      /** Of a verification: what was expected and found, and the requests that come closest. */
      readonly expected?: VerificationError['expected']
      readonly found?: number
      readonly near_misses?: VerificationError['nearMisses']
    }
  }
}

export function controlFault(status: number, code: string, message: string, hint?: string): ControlFault {
  return { status, body: { error: { code, message, ...(hint === undefined ? {} : { hint }) } } }
}

/** The one place where what a call throws becomes a status and a code. */
export function faultOf(error: unknown): ControlFault {
  if (error instanceof MissingRecordError) return controlFault(404, `no-such-${error.record}`, error.message)
  if (error instanceof TakenError) return controlFault(409, 'taken', error.message)
  if (error instanceof VerificationError) return unverified(error)
  if (error instanceof ConflictError) return controlFault(409, error.code, error.message)
  if (error instanceof SnapshotError) return controlFault(422, 'invalid-snapshot', error.message)
  if (error instanceof TypeError || error instanceof RangeError) {
    return controlFault(422, 'invalid-value', error.message)
  }
  process.emitWarning(error instanceof Error ? error : String(error))
  return controlFault(500, 'internal-error', error instanceof Error ? error.message : String(error))
}

function unverified({ code, message, expected, found, nearMisses }: VerificationError): ControlFault {
  return { status: 409, body: { error: { code, message, expected, found, near_misses: nearMisses } } }
}
