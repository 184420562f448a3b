import { hash, timingSafeEqual } from 'node:crypto'
import type { BlobStore } from '../storage/blob-store.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'
import type { AccountChanges, AccountRecord, RecordStore } from '../storage/record-store.ts'
import { randomText } from './random-text.ts'
import { MissingRecordError, TakenError } from './refusal.ts'
import type { Thumbnails } from './thumbnails.ts'

/** An account with what is told about it only once. */
export interface NewAccount {
  readonly account: AccountRecord
  readonly password: string
  readonly apiKey: string
}

/** What an account may be given at its creation; the rest is made up. */
export interface NewAccountOptions {
  /** 40 letters and digits unless given. */
  readonly apiKey?: string | undefined
  readonly email?: string | undefined
  /** 16 letters and digits unless given. */
  readonly password?: string | undefined
}

/** What can be changed about an account from outside. */
export type AccountSettings = Omit<AccountChanges, 'email' | 'passwordHash' | 'keyHash'>

export interface Accounts {
  /** @throws TakenError where another account has the key or the email */
  create(options?: NewAccountOptions): NewAccount
  all(): readonly AccountRecord[]
  /** @throws MissingRecordError */
  get(id: number): AccountRecord
  findByKey(apiKey: string): AccountRecord | undefined
  /** @throws MissingRecordError */
  update(id: number, changes: AccountSettings): AccountRecord
  /**
   * Makes a new key; the old one is dead at once, and what it was charged is forgotten with it (spec 1, 5.9, 8).
   * @param apiKey generated unless given
   * @throws MissingRecordError; TakenError where another account has the key
   */
  regenerateKey(id: number, apiKey?: string): string
  /**
   * Whether a password is the account's, which the site asks before it makes a new key (spec 1).
   * @throws MissingRecordError
   */
  hasPassword(id: number, password: string): boolean
  /**
   * Removes an account with its uploads.
   * @throws MissingRecordError
   */
  remove(id: number): Promise<void>
}

interface AccountsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly firstKey: FirstKey
  readonly thumbnails: Thumbnails
}

export function createAccounts({ records, blobs, firstKey, thumbnails }: AccountsContext): Accounts {
  const { accounts, uploads, quotas } = records
  const found = (id: number, account: AccountRecord | undefined) => {
    if (account === undefined) throw new MissingRecordError('account', id)
    return account
  }

  const refuseTakenKey = (apiKey: string) => {
    if (accounts.findByKeyHash(digest(apiKey)) !== undefined) throw new TakenError('API key')
  }

  return {
    create(options = {}) {
      const { apiKey = newApiKey(), email = newEmail(), password = randomText(16) } = options
      refuseTakenKey(apiKey)
      const emailIsTaken = options.email !== undefined && accounts.all().some((other) => other.email === email)
      if (emailIsTaken) throw new TakenError('email')
      const account = accounts.insert({
        email,
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
    regenerateKey(id, apiKey = newApiKey()) {
      const old = found(id, accounts.get(id))
      refuseTakenKey(apiKey)
      if (firstKey.candidates().some((key) => digest(key) === old.keyHash)) firstKey.remember(apiKey)
      accounts.update(id, { keyHash: digest(apiKey) })
      quotas.remove(old.keyHash)
      return apiKey
    },
    hasPassword(id, password) {
      const { passwordHash } = found(id, accounts.get(id))
      return timingSafeEqual(Buffer.from(digest(password)), Buffer.from(passwordHash))
    },
    async remove(id) {
      const account = found(id, accounts.remove(id))
      quotas.remove(account.keyHash)
      for (const upload of uploads.removeAll(id)) {
        await thumbnails.forget(upload)
        if (upload.blobId !== null) await blobs.remove(upload.blobId)
      }
    },
  }
}

function newApiKey(): string {
  return randomText(40)
}

function newEmail(): string {
  return `${randomText(8).toLowerCase()}@example.com`
}

/** Keys and passwords are long random text here, so one round of a fast digest keeps them as safe as many would. */
function digest(secret: string): string {
  return hash('sha256', secret)
}
