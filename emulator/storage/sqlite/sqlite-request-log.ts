import type { RequestCounts } from '../kept-requests.ts'
import { createRequestList, type RequestList } from '../kept-requests.ts'
import {
  type LoggedCall,
  type LogLimits,
  maxKeptRequestBytes,
  maxKeptRequests,
  type RestorableRequestLog,
  UnwrittenError,
} from '../record-store.ts'
import type { RequestRecord } from '../records.ts'
import type { SqlRow } from './sql-database.ts'
import type { SqliteContext } from './stored-map.ts'

/** Requests remembered while none can be written; beyond it the oldest are forgotten. */
const maxUncommitted = 1_000

/** Of the requests of one account; reading one takes some hundredths of a second. */
const callsPerPiece = 4_000

/** The request log in the database. Once all of it has been read, it also stays in memory: the reader will come back. */
export function createSqliteRequestLog(
  { database, commits }: SqliteContext,
  counts: RequestCounts,
  { maxKept = maxKeptRequests, maxBytes = maxKeptRequestBytes }: LogLimits = {},
): RestorableRequestLog {
  const insertRow = database.prepare('INSERT INTO requests (id, account_id, rest) VALUES (?, ?, ?)')
  const deleteRow = database.prepare('DELETE FROM requests WHERE id = ?')
  const deleteOldest = database.prepare(
    'DELETE FROM requests WHERE id = (SELECT min(id) FROM requests) RETURNING account_id, length(rest) AS bytes',
  )
  const highestId = database.prepare('SELECT max(id) AS id FROM requests')
  const allRows = database.prepare('SELECT id, account_id, rest FROM requests ORDER BY id')
  // One text for all rows: reading them one by one takes twice as long.
  const callsOfAccount = database.prepare(
    `SELECT max(id) AS last, group_concat(call) AS calls FROM (
      SELECT id, json_extract(rest, '$.at', '$.method', '$.endpoint', '$.status') AS call
      FROM requests WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${callsPerPiece}
    )`,
  )
  const lastOfAccount = database.prepare(
    'SELECT id, account_id, rest FROM requests WHERE account_id = ? ORDER BY id DESC LIMIT 1',
  )
  let lastId = Number(highestId.get()?.['id'] ?? 0)
  const sumOfBytes = database.prepare('SELECT sum(length(rest)) AS bytes FROM requests')
  const storedBytes = () => Number(sumOfBytes.get()?.['bytes'] ?? 0)
  let bytes = storedBytes()
  /** The value of `bytes` after an undone turn; adding it up would read every row. */
  let committedBytes = bytes
  let mirror: RequestList | undefined

  const all = () => {
    mirror ??= createRequestList(allRows.all().map(parseRow))
    return mirror.all()
  }
  function* storedCalls(accountId: number) {
    let row = callsOfAccount.get(accountId, 0)
    for (; row?.['last'] != null; row = callsOfAccount.get(accountId, Number(row['last']))) yield parseCalls(row)
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
    while (counts.kept() > 0 && (counts.kept() >= maxKept || bytes + rest.length > maxBytes)) dropOldest()
    insert(accountId, rest)
    bytes += rest.length
    counts.add(accountId, { kept: 1 })
    return counts.dropped() - before
  }

  /** Requests since the last successful commit; after an undone turn they are written again with the next. */
  let uncommitted: RequestRecord[] = []
  let undone: RequestRecord[] = []
  commits.onCommitted(() => {
    uncommitted = []
    committedBytes = bytes
  })
  commits.onUndone(() => {
    undone = [...undone, ...uncommitted].slice(-maxUncommitted)
    uncommitted = []
    mirror = undefined
    lastId = Number(highestId.get()?.['id'] ?? 0)
    bytes = committedBytes
  })
  const writeUndoneAgain = () => {
    const again = undone
    undone = []
    uncommitted.push(...again)
    for (const request of again) put(request)
  }

  /** A failed log write is not an error for the request; it is repeated with the next. */
  const write = (request: RequestRecord): number => {
    try {
      return commits.write('minor', () => {
        if (undone.length > 0) writeUndoneAgain()
        uncommitted.push(request)
        return put(request)
      })
    } catch (error) {
      if (!(error instanceof UnwrittenError)) throw error
      if (!undone.includes(request)) undone = [...undone, request].slice(-maxUncommitted)
      return 0
    }
  }

  return {
    append(request) {
      const dropped = write(request)
      for (let left = dropped; left > 0; left -= 1) mirror?.shift()
      mirror?.append(request)
    },
    all,
    ofAccount: (accountId) =>
      mirror === undefined
        ? storedCalls(accountId)
        : [mirror.all().filter((request) => request.accountId === accountId)],
    lastOf(accountId) {
      const row = lastOfAccount.get(accountId)
      return row && parseRow(row)
    },
    kept: counts.kept,
    count: counts.of,
    dropped: counts.dropped,
    remove(matches) {
      mirror = undefined
      const rows = allRows.all().map((row) => ({ id: Number(row['id']), request: parseRow(row) }))
      const gone = rows.filter(({ request }) => matches(request))
      commits.write('freeing', () => {
        for (const { id, request } of gone) {
          deleteRow.run(id)
          counts.add(request.accountId, { kept: -1 })
        }
      })
      bytes = storedBytes()
      return gone.length
    },
    dump: () => ({ requests: [...all()], droppedRequests: counts.droppedByAccount() }),
    load({ requests, droppedRequests }) {
      mirror = undefined
      commits.write('freeing', () => {
        database.run('DELETE FROM requests')
        const excess = Math.max(requests.length - maxKept, 0)
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

function parseCalls(row: SqlRow): readonly LoggedCall[] {
  const calls: readonly [number, string, string, number][] = JSON.parse(`[${row['calls']}]`)
  return calls.map(([at, method, endpoint, status]) => ({ at, method, endpoint, status }))
}
