import type { Accounts } from '../service/accounts.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'
import type { AccountRecord } from '../storage/records.ts'

export interface FirstAccountContext {
  readonly accounts: Accounts
  readonly firstKey: FirstKey
}

/**
 * Finds the first account of an earlier run, or creates one if there are no accounts. Keys are stored as hashes, so if
 * the records came from another emulator's snapshot, no key is known; the oldest account then gets the key.
 *
 * @param given the key it gets; default: the one it had, or a new one
 * @returns its key
 * @throws TakenError if another account has the given key
 */
export function openFirstAccount({ accounts, firstKey }: FirstAccountContext, given?: string): string {
  const remembered = firstKey.candidates()
  const key = given ?? remembered.find((candidate) => accounts.findByKey(candidate) !== undefined) ?? remembered[0]
  const first = find(accounts, given === undefined ? remembered : [...remembered, given]) ?? accounts.all()[0]
  const held = first === undefined ? accounts.create({ apiKey: key }).apiKey : withKey(accounts, first.id, key)
  if (remembered[0] !== held) firstKey.remember(held)
  return held
}

function find(accounts: Accounts, keys: readonly string[]): AccountRecord | undefined {
  return keys.map((key) => accounts.findByKey(key)).find((account) => account !== undefined)
}

function withKey(accounts: Accounts, id: number, key: string | undefined): string {
  return key !== undefined && accounts.findByKey(key)?.id === id ? key : accounts.regenerateKey(id, key)
}
