import { createMemoryUploads } from './memory-uploads.ts'
import type {
  AccountRecord,
  AccountRecords,
  QuotaRecords,
  QuotaState,
  RecordStore,
  RequestLog,
  RequestRecord,
} from './record-store.ts'

/** Records that live as long as the process. */
export function createMemoryRecords(): RecordStore {
  return {
    accounts: createMemoryAccounts(),
    uploads: createMemoryUploads(),
    requests: createMemoryRequestLog(),
    quotas: createMemoryQuotas(),
  }
}

function createMemoryAccounts(): AccountRecords {
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
  }
}

function createMemoryRequestLog(): RequestLog {
  const requests: RequestRecord[] = []
  const counts = new Map<number, number>()
  return {
    append(request) {
      requests.push(request)
      if (request.accountId === null) return
      counts.set(request.accountId, (counts.get(request.accountId) ?? 0) + 1)
    },
    all: () => requests,
    count: (accountId) => counts.get(accountId) ?? 0,
  }
}

const neverCharged: QuotaState = {}

function createMemoryQuotas(): QuotaRecords {
  const states = new Map<string, QuotaState>()
  return {
    get: (keyHash) => states.get(keyHash) ?? neverCharged,
    put: (keyHash, state) => void states.set(keyHash, state),
    remove: (keyHash) => void states.delete(keyHash),
  }
}
