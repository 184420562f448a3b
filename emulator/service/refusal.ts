import type { WindowName } from '../../src/protocol/rate-limits.ts'

/** Why the service does not do what it was asked. How each kind looks on the wire is the wire's own matter. */
export type Refusal =
  | { readonly kind: 'api-disabled' }
  | { readonly kind: 'invalid-key' }
  /** `reason` is null where the administrator gave none (spec 5.6). */
  | { readonly kind: 'suspended'; readonly reason: string | null }
  | { readonly kind: 'address-not-allowed' }
  | QuotaRefusal
  | { readonly kind: 'upload-not-found'; readonly slug: string }
  /** At least one message, the first being the one that stands for all (spec 7.2). */
  | { readonly kind: 'invalid-file'; readonly messages: readonly string[]; readonly oversized: boolean }

/** @see {@link Refusal} */
export interface QuotaRefusal {
  readonly kind: 'quota-exceeded'
  readonly window: WindowName
  /** When that window will have room, or has ended where it never will; epoch milliseconds. */
  readonly retryAt: number
}

/** Somebody referred to a record that does not exist; callers of the service's own programming interface see it. */
export class MissingRecordError extends Error {
  override readonly name = 'MissingRecordError'
  readonly record: 'account' | 'upload'

  constructor(record: 'account' | 'upload', id: number | string) {
    super(`There is no ${record} ${JSON.stringify(id)}`)
    this.record = record
  }
}

/** Somebody wanted for an account what only one account can have, and another has it. */
export class TakenError extends Error {
  override readonly name = 'TakenError'

  constructor(what: 'API key' | 'email') {
    super(`Another account has this ${what}`)
  }
}
