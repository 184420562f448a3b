import type {
  AccountRecord,
  AccountRecords,
  KeyQuota,
  KeyValueRecords,
  QuotaRecords,
  QuotaState,
  RecordStore,
} from '../record-store.ts'
import { createMemoryRequestLog } from './memory-request-log.ts'
import { createMemoryUploads } from './memory-uploads.ts'

/**
 * Records that exist only for this process.
 * @param maxKeptRequests the size of the request log; defaults to {@link maxKeptRequests}
 */
export function createMemoryRecords(maxKeptRequests?: number): RecordStore {
  const accounts = createMemoryAccounts()
  const uploads = createMemoryUploads()
  const requests = createMemoryRequestLog(maxKeptRequests)
  const quotas = createMemoryQuotas()
  return {
    accounts,
    uploads,
    requests,
    quotas,
    dump: () => ({
      accounts: accounts.all(),
      uploads: uploads.all(),
      ...requests.dump(),
      quotas: quotas.all(),
      lastIds: { account: accounts.lastId(), upload: uploads.lastId() },
    }),
    load(dump) {
      accounts.load(dump.accounts, dump.lastIds.account)
      uploads.load(dump.uploads, dump.lastIds.upload)
      requests.load(dump)
      quotas.load(dump.quotas)
    },
    keyValues: createMemoryKeyValues(),
    flushed: () => Promise.resolve(),
    mark: () => 0,
  }
}

export interface MemoryAccounts extends AccountRecords {
  lastId(): number
  load(accounts: readonly AccountRecord[], lastId: number): void
}

export function createMemoryAccounts(): MemoryAccounts {
  const byId = new Map<number, AccountRecord>()
  const byKeyHash = new Map<string, AccountRecord>()
  let lastId = 0

  const put = (account: AccountRecord) => {
    byId.set(account.id, account)
    byKeyHash.set(account.keyHash, account)
    return account
  }
  return {
    insert: (account) => put({ ...account, id: ++lastId }),
    get: (id) => byId.get(id),
    findByKeyHash: (keyHash) => byKeyHash.get(keyHash),
    all: () => [...byId.values()],
    update(id, changes) {
      const account = byId.get(id)
      if (account === undefined) return undefined
      byKeyHash.delete(account.keyHash)
      return put({ ...account, ...changes })
    },
    remove(id) {
      const account = byId.get(id)
      if (account === undefined) return undefined
      byId.delete(id)
      byKeyHash.delete(account.keyHash)
      return account
    },
    lastId: () => lastId,
    load(accounts, highestId) {
      byId.clear()
      byKeyHash.clear()
      for (const account of accounts) put(account)
      lastId = highestId
    },
  }
}

const neverCharged: QuotaState = {}

export interface MemoryQuotas extends QuotaRecords {
  all(): readonly KeyQuota[]
  load(quotas: readonly KeyQuota[]): void
}

export function createMemoryQuotas(): MemoryQuotas {
  const states = new Map<string, QuotaState>()
  return {
    get: (keyHash) => states.get(keyHash) ?? neverCharged,
    put: (keyHash, state) => void states.set(keyHash, state),
    remove: (keyHash) => void states.delete(keyHash),
    all: () => [...states].map(([keyHash, state]) => ({ keyHash, state })),
    load(quotas) {
      states.clear()
      for (const { keyHash, state } of quotas) states.set(keyHash, state)
    },
  }
}

export function createMemoryKeyValues(): KeyValueRecords {
  const notes = new Map<string, unknown>()
  return { get: (name) => notes.get(name), put: (name, value) => void notes.set(name, value) }
}
