import { hash } from 'node:crypto'
import type { BlobStore } from '../storage/blob-store.ts'
import type { AccountChanges, AccountRecord, RecordStore } from '../storage/record-store.ts'
import { randomText } from './random-text.ts'
import { MissingRecordError } from './refusal.ts'

/** An account with what is told about it only once. */
export interface NewAccount {
  readonly account: AccountRecord
  readonly password: string
  readonly apiKey: string
}

/** What can be changed about an account from outside. */
export type AccountSettings = Omit<AccountChanges, 'email' | 'passwordHash' | 'keyHash'>

export interface Accounts {
  /** @param apiKey generated unless given; 40 letters and digits */
  create(apiKey?: string): NewAccount
  all(): readonly AccountRecord[]
  /** @throws MissingRecordError */
  get(id: number): AccountRecord
  findByKey(apiKey: string): AccountRecord | undefined
  /** @throws MissingRecordError */
  update(id: number, changes: AccountSettings): AccountRecord
  /**
   * Makes a new key; the old one is dead at once, and what it was charged is forgotten with it (spec 1, 5.9, 8).
   * @throws MissingRecordError
   */
  regenerateKey(id: number): string
  /**
   * Removes an account with its uploads.
   * @throws MissingRecordError
   */
  remove(id: number): Promise<void>
}

interface AccountsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
}

export function createAccounts({ records, blobs }: AccountsContext): Accounts {
  const { accounts, uploads, quotas } = records
  const found = (id: number, account: AccountRecord | undefined) => {
    if (account === undefined) throw new MissingRecordError('account', id)
    return account
  }

  return {
    create(apiKey = newApiKey()) {
      const password = randomText(16)
      const account = accounts.insert({
        email: `${randomText(8).toLowerCase()}@example.com`,
        passwordHash: digest(password),
        keyHash: digest(apiKey),
        suspended: false,
        suspensionReason: null,
        ipAllowlist: [],
        quotas: null,
        albums: 0,
        feedViews: 0,
      })
      return { account, password, apiKey }
    },
    all: () => accounts.all(),
    get: (id) => found(id, accounts.get(id)),
    findByKey: (apiKey) => accounts.findByKeyHash(digest(apiKey)),
    update: (id, changes) => found(id, accounts.update(id, changes)),
    regenerateKey(id) {
      const old = found(id, accounts.get(id))
      const apiKey = newApiKey()
      accounts.update(id, { keyHash: digest(apiKey) })
      quotas.remove(old.keyHash)
      return apiKey
    },
    async remove(id) {
      const account = found(id, accounts.remove(id))
      quotas.remove(account.keyHash)
      await Promise.all(uploads.removeAll(id).map((upload) => blobs.remove(upload.blobId)))
    },
  }
}

function newApiKey(): string {
  return randomText(40)
}

/** Keys and passwords are long random text here, so one round of a fast digest keeps them as safe as many would. */
function digest(secret: string): string {
  return hash('sha256', secret)
}
