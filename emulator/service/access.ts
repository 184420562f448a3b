import type { AccountRecord } from '../storage/record-store.ts'
import { allowsAddress } from '../values/ip-allowlist.ts'
import type { Refusal } from './refusal.ts'

/** What an administrator has against an account (spec 5.6). */
export function suspensionRefusal(account: AccountRecord): Refusal | undefined {
  return account.suspended ? { kind: 'suspended', reason: account.suspensionReason } : undefined
}

/** What an account's owner has against an address it is used from (spec 5.5). */
export function addressRefusal(account: AccountRecord, clientIp: string): Refusal | undefined {
  return allowsAddress(account.ipAllowlist, clientIp) ? undefined : { kind: 'address-not-allowed' }
}
