import { createRequestCounts, type RequestCount } from './kept-requests.ts'
import { createMapAlbums } from './map-albums.ts'
import { createMapRequests, type LogLimits } from './map-requests.ts'
import { createMapUploads } from './map-uploads.ts'
import type {
  AccountChanges,
  AccountRecord,
  AlbumRecord,
  QuotaState,
  RecordDump,
  RequestRecord,
  SessionRecord,
  UploadRecord,
} from './records.ts'

/** The tables of a store: plain maps in memory, stored maps in a database. */
export interface RecordMaps {
  readonly accounts: Map<number, AccountRecord>
  /** The highest ids assigned so far; ids are never reused, even after a removal. */
  readonly lastIds: Map<keyof RecordDump['lastIds'], number>
  readonly albums: Map<number, AlbumRecord>
  readonly uploads: Map<number, UploadRecord>
  readonly requests: Map<number, RequestRecord>
  /** By account. */
  readonly requestCounts: Map<number, RequestCount>
  /** By the hash of the key: charges belong to it (spec 8), so a regenerated one starts with none. */
  readonly quotas: Map<string, QuotaState>
  /** By the hash of the id. */
  readonly sessions: Map<string, SessionRecord>
  /** The emulator's own data that survives a restart, JSON values by name; not part of a dump. */
  readonly keyValues: Map<string, unknown>
}

/** The part of a store that is the same in memory and in a database. */
export function createMapRecords(maps: RecordMaps, limits?: LogLimits) {
  const { accounts: byId, lastIds, quotas, sessions, keyValues } = maps
  const requestCounts = createRequestCounts(maps.requestCounts)
  const accounts = createAccounts(maps)
  const albums = createMapAlbums(maps.albums, () => nextId(lastIds, 'album'))
  const uploads = createMapUploads(maps.uploads, () => nextId(lastIds, 'upload'))
  const requests = createMapRequests(maps.requests, requestCounts, limits)
  const index = () => {
    accounts.index()
    uploads.index()
  }
  return {
    /** The tables that a store has as they are. */
    tables: { accounts, albums, uploads, requests, quotas, sessions, keyValues },
    dump: (): RecordDump => ({
      accounts: accounts.all(),
      uploads: [...maps.uploads.values()],
      albums: [...maps.albums.values()],
      requests: [...maps.requests.values()],
      droppedRequests: requestCounts.droppedByAccount(),
      quotas: [...quotas].map(([keyHash, state]) => ({ keyHash, state })),
      sessions: [...sessions.values()].sort((one, other) => (one.idHash < other.idHash ? -1 : 1)),
      lastIds: {
        account: lastIds.get('account') ?? 0,
        upload: lastIds.get('upload') ?? 0,
        album: lastIds.get('album') ?? 0,
      },
    }),
    load(dump: RecordDump) {
      requests.load(dump)
      for (const map of [byId, lastIds, maps.albums, maps.uploads, quotas, sessions]) map.clear()
      for (const account of dump.accounts) byId.set(account.id, account)
      for (const album of dump.albums) maps.albums.set(album.id, album)
      for (const upload of dump.uploads) maps.uploads.set(upload.id, upload)
      for (const { keyHash, state } of dump.quotas) quotas.set(keyHash, state)
      for (const session of dump.sessions) sessions.set(session.idHash, session)
      for (const kind of ['account', 'upload', 'album'] as const) lastIds.set(kind, dump.lastIds[kind])
      index()
    },
    /** Derives again what is kept besides the maps; call after they were changed from elsewhere. */
    refresh() {
      index()
      requests.index()
      requestCounts.recount()
    },
  }
}

export type MapRecords = ReturnType<typeof createMapRecords>
export type Tables = MapRecords['tables']

function nextId(lastIds: RecordMaps['lastIds'], kind: keyof RecordDump['lastIds']): number {
  const id = (lastIds.get(kind) ?? 0) + 1
  lastIds.set(kind, id)
  return id
}

function createAccounts({ accounts, lastIds }: RecordMaps) {
  const byKeyHash = new Map<string, AccountRecord>()
  const put = (account: AccountRecord) => {
    accounts.set(account.id, account)
    byKeyHash.set(account.keyHash, account)
    return account
  }
  const index = () => {
    byKeyHash.clear()
    for (const account of accounts.values()) byKeyHash.set(account.keyHash, account)
  }
  index()
  return {
    insert: (account: Omit<AccountRecord, 'id'>) => put({ ...account, id: nextId(lastIds, 'account') }),
    get: (id: number) => accounts.get(id),
    findByKeyHash: (keyHash: string) => byKeyHash.get(keyHash),
    /** In order of id. */
    all: (): readonly AccountRecord[] => [...accounts.values()],
    update(id: number, changes: AccountChanges): AccountRecord | undefined {
      const account = accounts.get(id)
      if (account === undefined) return undefined
      byKeyHash.delete(account.keyHash)
      return put({ ...account, ...changes })
    },
    remove(id: number): AccountRecord | undefined {
      const account = accounts.get(id)
      if (account === undefined) return undefined
      accounts.delete(id)
      byKeyHash.delete(account.keyHash)
      return account
    },
    index,
  }
}
