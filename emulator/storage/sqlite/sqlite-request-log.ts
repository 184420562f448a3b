import { createMemoryRequestLog, type KeptRequestLog, type MemoryRequestLog } from '../memory/memory-request-log.ts'
import { mostKeptRequestBytes, mostKeptRequests, type RequestRecord } from '../record-store.ts'
import { UnwrittenError } from '../unwritten.ts'
import { createRequestCounts } from './request-counts.ts'
import type { SqlRow } from './sql-database.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

/** How many requests are remembered while none can be written; of more the oldest are forgotten. */
const mostUnsafe = 1_000

/** Keeps what it is told to keep. */
const limitless = Number.POSITIVE_INFINITY

/**
 * The log on disk. Whoever asks for all of it asks again soon, so from then on it stands in memory as well.
 * @param mostKept {@link mostKeptRequests} unless given
 * @param mostBytes {@link mostKeptRequestBytes} unless given
 */
export function createSqliteRequestLog(
  { database, commits }: SqliteContext,
  mostKept: number = mostKeptRequests,
  mostBytes: number = mostKeptRequestBytes,
): KeptRequestLog {
  const counts = createRequestCounts(database, commits)
  const insertRow = database.prepare('INSERT INTO requests (id, account_id, rest) VALUES (?, ?, ?)')
  const deleteRow = database.prepare('DELETE FROM requests WHERE id = ?')
  const deleteOldest = database.prepare(
    'DELETE FROM requests WHERE id = (SELECT min(id) FROM requests) RETURNING account_id, length(rest) AS bytes',
  )
  const highestId = database.prepare('SELECT max(id) AS id FROM requests')
  const allRows = database.prepare('SELECT id, account_id, rest FROM requests ORDER BY id')
  let lastId = Number(highestId.get()?.['id'] ?? 0)
  const sumOfBytes = database.prepare('SELECT sum(length(rest)) AS bytes FROM requests')
  const storedBytes = () => Number(sumOfBytes.get()?.['bytes'] ?? 0)
  let bytes = storedBytes()
  /** What `bytes` is again where a turn is undone: adding it up takes a look at every row. */
  let committedBytes = bytes
  let mirror: MemoryRequestLog | undefined

  const mirrored = (): MemoryRequestLog => {
    if (mirror === undefined) {
      mirror = createMemoryRequestLog(limitless, limitless)
      mirror.load({ requests: allRows.all().map(parseRow), droppedRequests: counts.droppedByAccount() })
    }
    return mirror
  }
  const insert = (accountId: number | null, rest: string) => {
    lastId += 1
    insertRow.run(lastId, accountId, rest)
  }
  const dropOldest = () => {
    const row = deleteOldest.get()
    const accountId = row?.['account_id'] ?? null
    bytes -= Number(row?.['bytes'] ?? 0)
    counts.add(accountId === null ? null : Number(accountId), { kept: -1, dropped: 1 })
  }
  const put = ({ accountId, ...fields }: RequestRecord) => {
    const rest = JSON.stringify(fields)
    const before = counts.dropped()
    while (counts.kept() > 0 && (counts.kept() >= mostKept || bytes + rest.length > mostBytes)) dropOldest()
    insert(accountId, rest)
    bytes += rest.length
    counts.add(accountId, { kept: 1 })
    return counts.dropped() - before
  }

  /** Answered, and not known to be committed: where a turn is undone they are written again with the next. */
  let unsafe: RequestRecord[] = []
  let undone: RequestRecord[] = []
  commits.onCommitted(() => {
    unsafe = []
    committedBytes = bytes
  })
  commits.onUndone(() => {
    undone = [...undone, ...unsafe].slice(-mostUnsafe)
    unsafe = []
    mirror = undefined
    lastId = Number(highestId.get()?.['id'] ?? 0)
    bytes = committedBytes
  })
  const putUndone = () => {
    const again = undone
    undone = []
    unsafe.push(...again)
    for (const request of again) put(request)
  }

  /** What is only logged fails with nobody: where the database does, it is written again with the next. */
  const write = (request: RequestRecord): number => {
    try {
      return commits.write('minor', () => {
        if (undone.length > 0) putUndone()
        unsafe.push(request)
        return put(request)
      })
    } catch (error) {
      if (!(error instanceof UnwrittenError)) throw error
      if (!undone.includes(request)) undone = [...undone, request].slice(-mostUnsafe)
      return 0
    }
  }

  return {
    append(request) {
      const dropped = write(request)
      if (mirror === undefined) return
      for (let left = dropped; left > 0; left -= 1) mirror.dropOldest()
      mirror.append(request)
    },
    all: () => mirrored().all(),
    kept: counts.kept,
    count: counts.of,
    dropped: counts.dropped,
    remove(matches) {
      mirror = undefined
      const rows = allRows.all().map((row) => ({ id: Number(row['id']), request: parseRow(row) }))
      const gone = rows.filter(({ request }) => matches(request))
      commits.write('ordinary', () => {
        for (const { id, request } of gone) {
          deleteRow.run(id)
          counts.add(request.accountId, { kept: -1 })
        }
      })
      bytes = storedBytes()
      return gone.length
    },
    dump: () => mirrored().dump(),
    load({ requests, droppedRequests }) {
      mirror = undefined
      commits.write('lasting', () => {
        database.run('DELETE FROM requests')
        const excess = Math.max(requests.length - mostKept, 0)
        const kept = requests.slice(excess)
        for (const { accountId, ...fields } of kept) insert(accountId, JSON.stringify(fields))
        commits.afterwards(() => {
          bytes = storedBytes()
          counts.clear()
          for (const { accountId, count } of droppedRequests) counts.add(accountId, { dropped: count })
          for (const { accountId } of requests.slice(0, excess)) counts.add(accountId, { dropped: 1 })
          for (const { accountId } of kept) counts.add(accountId, { kept: 1 })
        })
      })
    },
  }
}

function parseRow({ account_id: accountId, rest }: SqlRow): RequestRecord {
  return { accountId, ...JSON.parse(String(rest)) }
}
