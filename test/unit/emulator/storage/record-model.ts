import type {
  AccountChanges,
  AccountRecord,
  NewRequest,
  QuotaState,
  RecordDump,
  RequestRecord,
  SessionRecord,
  UploadChanges,
  UploadRecord,
} from '../../../../emulator/storage/record-types.ts'
import type { LogPart } from '../../../../emulator/storage/request-log.ts'

interface Row {
  readonly id: number
}

const isNewer = (one: UploadRecord, other: UploadRecord) =>
  one.createdAt === other.createdAt ? other.id - one.id : other.createdAt - one.createdAt

/** Of conditions it knows only that a column has a value. */
const isIn =
  ({ where = '1', values = [], after = 0, before = Number.POSITIVE_INFINITY }: LogPart) =>
  (request: RequestRecord) =>
    request.number > after &&
    request.number < before &&
    (where === '1' || Reflect.get(request, where === 'accountId = ?' ? 'accountId' : 'cost') === values[0])

const directViews = ({ views, indirectViews = 0 }: UploadRecord) => Math.max(views - indirectViews, 0)

/** What a record store does, said as simply as lists allow. @param maxKept of the log */
export function createRecordModel(maxKept: number) {
  let accounts: AccountRecord[] = []
  let uploads: UploadRecord[] = []
  let sessions: readonly SessionRecord[] = []
  let requests: RequestRecord[] = []
  let dropped: (number | null)[] = []
  let charges = new Map<number, QuotaState>()
  let lastIds = { account: 0, upload: 0, request: 0 }
  const notes = new Map<string, unknown>()

  const nextId = (kind: keyof typeof lastIds) => {
    lastIds = { ...lastIds, [kind]: lastIds[kind] + 1 }
    return lastIds[kind]
  }
  const byId = <Value extends Row>(list: readonly Value[], id: number) => list.find((row) => row.id === id)
  const changed = <Value extends Row>(list: Value[], id: number, changes: object): Value | undefined => {
    const at = list.findIndex((row) => row.id === id)
    const old = list[at]
    if (old === undefined) return undefined
    const value = { ...old, ...changes }
    list[at] = value
    return value
  }
  const without = <Value extends Row>(list: readonly Value[], id: number) => list.filter((row) => row.id !== id)
  const newestOf = (id: number): readonly UploadRecord[] =>
    uploads.filter(({ accountId }) => accountId === id).sort(isNewer)
  const bySlug = (wanted: string) => uploads.find(({ slug }) => slug === wanted)

  return {
    accounts: {
      insert(account: Omit<AccountRecord, 'id'>) {
        const record = { id: nextId('account'), ...account }
        accounts.push(record)
        return record
      },
      get: (id: number) => byId(accounts, id),
      all: (): readonly AccountRecord[] => accounts,
      findByKeyHash: (hash: string) => accounts.findLast(({ keyHash }) => keyHash === hash),
      update: (id: number, changes: AccountChanges) => changed(accounts, id, changes),
      remove(id: number) {
        const account = byId(accounts, id)
        accounts = without(accounts, id)
        return account
      },
    },
    uploads: {
      insert(upload: Omit<UploadRecord, 'id'>) {
        if (bySlug(upload.slug) !== undefined) return undefined
        const record = { id: nextId('upload'), ...upload }
        uploads.push(record)
        return record
      },
      findBySlug: bySlug,
      findAlike: (id: number, slug: string) =>
        newestOf(id).find((upload) => upload.slug.toLowerCase() === slug.toLowerCase()),
      findContent: (id: number, sha256: string, bytes: number) =>
        newestOf(id).find((upload) => upload.sha256 === sha256 && upload.sizeBytes === bytes),
      countLater: (id: number, since: number) => newestOf(id).filter(({ createdAt }) => createdAt > since).length,
      awaitingThumbnail: (): readonly UploadRecord[] =>
        uploads
          .flatMap((upload) =>
            upload.thumbnail.state === 'pending' ? [{ upload, dueAt: upload.thumbnail.dueAt }] : [],
          )
          .sort((one, other) => one.dueAt - other.dueAt || one.upload.id - other.upload.id)
          .map(({ upload }) => upload),
      newest: (
        id: number,
        { offset, limit }: { readonly offset: number; readonly limit: number },
      ): readonly UploadRecord[] => newestOf(id).slice(offset, offset + limit),
      totals: (id: number) => ({
        uploads: newestOf(id).length,
        views: newestOf(id).reduce((sum, upload) => sum + directViews(upload), 0),
        bytes: newestOf(id).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      }),
      update: (slug: string, changes: UploadChanges) => changed(uploads, bySlug(slug)?.id ?? 0, changes),
      remove(slug: string) {
        const upload = bySlug(slug)
        uploads = without(uploads, upload?.id ?? 0)
        return upload
      },
      removeAll(id: number): readonly UploadRecord[] {
        const removed = newestOf(id)
        uploads = uploads.filter(({ accountId }) => accountId !== id)
        return removed.filter(({ blobId, thumbnail }) => blobId !== null || thumbnail.state !== 'none')
      },
      blobIds: (): ReadonlySet<string> =>
        new Set(
          uploads
            .flatMap(({ blobId, thumbnail }) => [blobId, thumbnail.state === 'ready' ? thumbnail.blobId : null])
            .filter((id) => id !== null),
        ),
    },
    requests: {
      append(request: NewRequest) {
        const record = { number: nextId('request'), ...request }
        requests.push(record)
        while (requests.length > maxKept) dropped.push(requests.shift()?.accountId ?? null)
        return record
      },
      select: (part: LogPart = {}): readonly RequestRecord[] => requests.filter(isIn(part)).slice(-(part.limit ?? 99)),
      get: (number: number) => requests.find((request) => request.number === number),
      sum(part: LogPart = {}) {
        const found = requests.filter(isIn(part))
        return { count: found.length, units: found.reduce((sum, { cost }) => sum + cost, 0) }
      },
      state: () => ({ last: lastIds.request, kept: requests.length, dropped: dropped.length }),
      logged: (id: number) =>
        requests.filter(({ accountId }) => accountId === id).length + dropped.filter((other) => other === id).length,
      remove(part: LogPart = {}) {
        const before = requests.length
        requests = requests.filter((request) => !isIn(part)(request))
        return before - requests.length
      },
      chargeOf: (id: number): QuotaState => charges.get(id) ?? {},
      saveCharge(id: number, charge: QuotaState) {
        charges.set(id, charge)
      },
    },
    sessions: {
      all: (): readonly SessionRecord[] => sessions,
      replace(others: readonly SessionRecord[]) {
        sessions = others
      },
    },
    notes: {
      get: (name: string) => notes.get(name),
      set(name: string, value: unknown) {
        notes.set(name, value)
      },
    },
    dump(): RecordDump {
      const counts = new Map<number | null, number>()
      for (const id of dropped) counts.set(id, (counts.get(id) ?? 0) + 1)
      return {
        accounts: [...accounts],
        uploads: [...uploads],
        requests: [...requests],
        droppedRequests: Array.from(counts, ([accountId, count]) => ({ accountId, count })),
        quotas: accounts
          .map(({ id, keyHash }) => ({ keyHash, state: charges.get(id) ?? {} }))
          .filter(({ state }) => Object.keys(state).length > 0),
        sessions: [...sessions].sort((one, other) => (one.idHash < other.idHash ? -1 : 1)),
        lastIds,
      }
    },
    load(dump: RecordDump) {
      accounts = [...dump.accounts]
      uploads = [...dump.uploads]
      sessions = dump.sessions
      requests = [...dump.requests]
      dropped = dump.droppedRequests.flatMap(({ accountId, count }) => Array(count).fill(accountId))
      charges = new Map(
        dump.quotas.flatMap(({ keyHash, state }) => {
          const account = accounts.findLast((one) => one.keyHash === keyHash)
          return account === undefined ? [] : [[account.id, state]]
        }),
      )
      lastIds = dump.lastIds
    },
  }
}

/** What the model and a store have in common. */
export type RecordModel = ReturnType<typeof createRecordModel>
