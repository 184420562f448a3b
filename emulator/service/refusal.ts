import { CodedError } from '../../src/checks/coded-error.ts'
import type { WindowName } from '../../src/protocol/rate-limits.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'

/** A rule that a submitted file breaks; who answers chooses the words. */
export type FileProblem =
  | { readonly kind: 'missing' | 'not-a-file' | 'incomplete' | 'wrong-type' }
  | {
      readonly kind: 'too-large'
      readonly maxBytes: number
      /** The limit counts kilobytes of a file, and characters of a text. */
      readonly counts: 'kilobytes' | 'characters'
    }

/** Why the service refuses a request. It stands where the record would; only a refusal has a `kind`. */
export type Refusal =
  | { readonly kind: 'api-disabled' }
  | { readonly kind: 'invalid-key' }
  /** `reason` is null if the administrator gave none (spec 5.6). */
  | { readonly kind: 'suspended'; readonly reason: string | null }
  | { readonly kind: 'address-not-allowed' }
  | QuotaRefusal
  | { readonly kind: 'upload-not-found'; readonly slug: string }
  /** At least one problem; the first is the summary (spec 7.2). */
  | { readonly kind: 'invalid-file'; readonly problems: readonly FileProblem[]; readonly oversized: boolean }

/** A refusal by one quota window. */
export interface QuotaRefusal {
  readonly kind: 'quota-exceeded'
  readonly window: WindowName
  /** When the window has room, or when it ends if it never will; epoch milliseconds. */
  readonly retryAt: number
}

type RecordKind = 'account' | 'upload' | 'fault' | 'request'

/** A caller of the emulator's own API named a record that does not exist. */
export class MissingRecordError extends CodedError {
  override readonly name = 'MissingRecordError'
  readonly code: `no-such-${RecordKind}`
  readonly record: RecordKind

  constructor(record: RecordKind, id: number | string) {
    super(`There is no ${record} ${JSON.stringify(id)}`)
    this.record = record
    this.code = `no-such-${record}`
  }
}

/** The API key or email is already used by another account. */
export class TakenError extends CodedError {
  override readonly name = 'TakenError'
  readonly code = 'taken' satisfies EmulatorErrorCode

  constructor(what: 'API key' | 'email') {
    super(`Another account has this ${what}`)
  }
}
