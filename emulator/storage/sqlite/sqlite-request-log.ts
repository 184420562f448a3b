import { createMemoryRequestLog, type MemoryRequestLog } from '../memory-request-log.ts'
import { mostKeptRequests, type RequestRecord } from '../record-store.ts'
import { createRequestCounts } from './request-counts.ts'
import type { SqlRow } from './sql-database.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

/**
 * The log on disk. Whoever asks for all of it asks again soon, so from then on it stands in memory as well.
 * @param mostKept {@link mostKeptRequests} unless given
 */
export function createSqliteRequestLog(
  { database, commits }: SqliteContext,
  mostKept: number = mostKeptRequests,
): MemoryRequestLog {
  const counts = createRequestCounts(database, commits)
  const insertRow = database.prepare('INSERT INTO requests (id, account_id, rest) VALUES (?, ?, ?)')
  const deleteRow = database.prepare('DELETE FROM requests WHERE id = ?')
  const deleteOldest = database.prepare(
    'DELETE FROM requests WHERE id = (SELECT min(id) FROM requests) RETURNING account_id',
  )
  const allRows = database.prepare('SELECT id, account_id, rest FROM requests ORDER BY id')
  let lastId = Number(database.prepare('SELECT max(id) AS id FROM requests').get()?.['id'] ?? 0)
  let mirror: MemoryRequestLog | undefined

  const mirrored = (): MemoryRequestLog => {
    if (mirror === undefined) {
      mirror = createMemoryRequestLog(mostKept)
      mirror.load({ requests: allRows.all().map(parseRow), droppedRequests: counts.droppedByAccount() })
    }
    return mirror
  }
  const insert = ({ accountId, ...rest }: RequestRecord) => {
    lastId += 1
    insertRow.run(lastId, accountId, JSON.stringify(rest))
  }
  const put = (request: RequestRecord) => {
    const isFull = counts.kept() >= mostKept
    const dropped = isFull ? (deleteOldest.get()?.['account_id'] ?? null) : null
    insert(request)
    if (isFull) counts.add(dropped === null ? null : Number(dropped), { kept: -1, dropped: 1 })
    counts.add(request.accountId, { kept: 1 })
  }

  return {
    append(request) {
      commits.write('ordinary', () => put(request))
      mirror?.append(request)
    },
    all: () => mirrored().all(),
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
      return gone.length
    },
    dump: () => mirrored().dump(),
    load({ requests, droppedRequests }) {
      mirror = undefined
      commits.write('lasting', () => {
        database.run('DELETE FROM requests')
        const excess = Math.max(requests.length - mostKept, 0)
        const kept = requests.slice(excess)
        for (const request of kept) insert(request)
        commits.afterwards(() => {
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
