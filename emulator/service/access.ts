import { allowsAddress } from '../ip-allowlist.ts'
import type { AccountRecord } from '../storage/record-store.ts'
import type { Refusal } from './refusal.ts'

/** What keeps an account that showed its key from using the service, if anything does (spec 5.5, 5.6). */
export function accessRefusal(account: AccountRecord, clientIp: string): Refusal | undefined {
  if (account.suspended) return { kind: 'suspended', reason: account.suspensionReason }
  if (!allowsAddress(account.ipAllowlist, clientIp)) return { kind: 'address-not-allowed' }
  return undefined
}
