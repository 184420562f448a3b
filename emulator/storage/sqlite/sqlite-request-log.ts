import type { RequestCounts } from '../kept-requests.ts'
import { createRequestList, type RequestList } from '../kept-requests.ts'
import {
  type LoggedCall,
  type LogLimits,
  maxKeptRequestBytes,
  maxKeptRequests,
  type RestorableRequestLog,
} from '../record-store.ts'
import type { RequestRecord } from '../records.ts'
import type { SqlRow } from './sql-database.ts'
import type { SqliteContext } from './stored-map.ts'

/** Requests remembered while none can be written; beyond it the oldest are forgotten. */
const mostUnwritten = 1_000

/** Of the requests of one account; reading one takes some hundredths of a second. */
const callsPerPiece = 4_000

/** A request that its table does not have yet. */
interface Recent {
  readonly request: RequestRecord
  /** The row's column: all of it, since leaving one field out takes longer than writing the others. */
  readonly rest: string
}

function withRow(request: RequestRecord): Recent {
  return { request, rest: JSON.stringify(request) }
}

/** A statement costs as much as two or three of its rows. */
const rowsAtOnce = 32

function insertOf(rows: number): string {
  return `INSERT INTO requests (id, account_id, rest) VALUES (?, ?, ?)${', (?, ?, ?)'.repeat(rows - 1)}`
}

/** The request log in the database. Once all of it has been read, it also stays in memory: the reader will come back. */
export function createSqliteRequestLog(
  { database, commits }: SqliteContext,
  counts: RequestCounts,
  { maxKept = maxKeptRequests, maxBytes = maxKeptRequestBytes }: LogLimits = {},
): RestorableRequestLog {
  const insertRow = database.prepare(insertOf(1))
  const insertRows = database.prepare(insertOf(rowsAtOnce))
  const deleteRow = database.prepare('DELETE FROM requests WHERE id = ?')
  const deleteUpTo = database.prepare('DELETE FROM requests WHERE id <= ?')
  const rowAfter = database.prepare(
    'SELECT id, account_id, length(rest) AS bytes FROM requests WHERE id > ? ORDER BY id LIMIT 1',
  )
  const sums = database.prepare('SELECT max(id) AS id, sum(length(rest)) AS bytes FROM requests')
  const rowsAfter = database.prepare('SELECT id, account_id, rest FROM requests WHERE id > ? ORDER BY id')
  // One text for all rows: reading them one by one takes twice as long.
  const callsOfAccount = database.prepare(
    `SELECT max(id) AS last, group_concat(call) AS calls FROM (
      SELECT id, json_extract(rest, '$.at', '$.method', '$.endpoint', '$.status') AS call
      FROM requests WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${callsPerPiece}
    )`,
  )
  const lastOfAccount = database.prepare(
    'SELECT id, account_id, rest FROM requests WHERE account_id = ? AND id > ? ORDER BY id DESC LIMIT 1',
  )
  const readSums = () => {
    const { id, bytes } = sums.get() ?? {}
    return { lastId: Number(id), bytes: Number(bytes) }
  }
  /** When the tables were last written; adding the bytes up would read every row. */
  let written = readSums()
  let { lastId, bytes } = written
  /** Those dropped since then are still in the table, up to this number. */
  let droppedTo = 0
  /** Since then, oldest first; of these, how many the open transaction has in the table, and how many are in turns. */
  let recent: Recent[] = []
  let inserted = 0
  let inTurns = 0
  let mirror: RequestList | undefined

  const all = () => {
    mirror ??= createRequestList([
      ...rowsAfter.all(droppedTo).map(parseRow),
      ...recent.slice(inserted).map(({ request }) => request),
    ])
    return mirror.all()
  }
  const recentOf = (accountId: number) =>
    recent.slice(inserted).flatMap(({ request }) => (request.accountId === accountId ? [request] : []))
  function* storedCalls(accountId: number) {
    let row = callsOfAccount.get(accountId, droppedTo)
    for (; row?.['last'] != null; row = callsOfAccount.get(accountId, Number(row['last']))) yield parseCalls(row)
    if (recent.length > inserted) yield recentOf(accountId)
  }
  const insert = (requests: readonly Recent[]) => {
    const rows = requests.map(({ request, rest }, index) => [lastId + index + 1, request.accountId, rest])
    const single = rows.length % rowsAtOnce
    for (const row of rows.slice(0, single)) insertRow.run(...row)
    for (let at = single; at < rows.length; at += rowsAtOnce) insertRows.run(...rows.slice(at, at + rowsAtOnce).flat())
    lastId += rows.length
  }
  const writeTable = () => {
    insert(recent.slice(inserted))
    inserted = recent.length
    if (droppedTo > 0) deleteUpTo.run(droppedTo)
  }
  const forget = ({ accountId, length }: { readonly accountId: number | null; readonly length: number }) => {
    bytes -= length
    counts.add(accountId, { kept: -1, dropped: 1 })
    mirror?.shift()
  }
  const dropOldest = () => {
    const row = rowAfter.get(droppedTo)
    if (row !== undefined) {
      const accountId = row['account_id'] ?? null
      droppedTo = Number(row['id'])
      forget({ accountId: accountId === null ? null : Number(accountId), length: Number(row['bytes']) })
      return
    }
    const [oldest] = recent.splice(inserted, 1)
    if (inserted < inTurns) inTurns -= 1
    if (oldest !== undefined) forget({ accountId: oldest.request.accountId, length: oldest.rest.length })
  }
  const add = (one: Recent) => {
    recent.push(one)
    bytes += one.rest.length
    counts.add(one.request.accountId, { kept: 1 })
    mirror?.append(one.request)
    while (counts.kept() > 1 && (counts.kept() > maxKept || bytes > maxBytes)) dropOldest()
  }

  commits.join('requests', {
    changes: () =>
      recent
        .slice(inTurns)
        .map(({ rest }) => rest)
        .join(),
    repeat(requests) {
      for (const request of requests as readonly RequestRecord[]) add(withRow(request))
      inTurns = recent.length
    },
  })
  commits.onCommit(writeTable)
  commits.onCommitted((isInTables) => {
    if (isInTables) {
      recent = []
      inserted = 0
      droppedTo = 0
      written = { lastId, bytes }
    }
    inTurns = recent.length
  })
  commits.onUndone(() => {
    const again = [...recent.slice(0, inTurns), ...recent.slice(inTurns).slice(-mostUnwritten)]
    recent = []
    inserted = 0
    droppedTo = 0
    mirror = undefined
    ;({ lastId, bytes } = written)
    for (const one of again) add(one)
  })

  return {
    append(request) {
      commits.begin('minor')
      add(withRow(request))
    },
    all,
    ofAccount: (accountId) =>
      mirror === undefined
        ? storedCalls(accountId)
        : [mirror.all().filter((request) => request.accountId === accountId)],
    lastOf(accountId) {
      const last = recentOf(accountId).at(-1)
      const row = last === undefined ? lastOfAccount.get(accountId, droppedTo) : undefined
      return last ?? (row && parseRow(row))
    },
    kept: counts.kept,
    count: counts.of,
    dropped: counts.dropped,
    remove(matches) {
      mirror = undefined
      return commits.write('freeing', () => {
        writeTable()
        const rows = rowsAfter.all(droppedTo).map((row) => ({ id: Number(row['id']), request: parseRow(row) }))
        const gone = rows.filter(({ request }) => matches(request))
        for (const { id, request } of gone) {
          deleteRow.run(id)
          counts.add(request.accountId, { kept: -1 })
        }
        bytes = readSums().bytes
        return gone.length
      })
    },
    dump: () => ({ requests: [...all()], droppedRequests: counts.droppedByAccount() }),
    load({ requests, droppedRequests }) {
      const excess = Math.max(requests.length - maxKept, 0)
      const kept = requests.slice(excess)
      commits.write('freeing', () => {
        database.run('DELETE FROM requests')
        insert(kept.map(withRow))
        bytes = readSums().bytes
      })
      mirror = undefined
      inserted = recent.length
      counts.clear()
      for (const { accountId, count } of droppedRequests) counts.add(accountId, { dropped: count })
      for (const { accountId } of requests.slice(0, excess)) counts.add(accountId, { dropped: 1 })
      for (const { accountId } of kept) counts.add(accountId, { kept: 1 })
    },
  }
}

function parseRow({ account_id: accountId, rest }: SqlRow): RequestRecord {
  return { ...JSON.parse(String(rest)), accountId }
}

function parseCalls(row: SqlRow): readonly LoggedCall[] {
  const calls: readonly [number, string, string, number][] = JSON.parse(`[${row['calls']}]`)
  return calls.map(([at, method, endpoint, status]) => ({ at, method, endpoint, status }))
}
