import type { Codec } from '../../values/codec.ts'
import { isObject } from '../../values/json-schema.ts'
import { isUsableInstant } from '../../values/value-type.ts'
import { storedJson } from '../records.ts'
import type { SqlDatabase } from './sql-database.ts'

/** How to check the rows of a table. */
interface TableRule {
  readonly table: string
  /** The JSON column. */
  readonly json: string
  /** The column that names a row in errors. */
  readonly name: string
  /** The column with an instant, if there is one. */
  readonly instant?: string
  /** What the JSON has to be. */
  readonly type: Pick<Codec<unknown>, 'isSound'>
}

/** Rows read at once; reading them one by one takes several times as long. */
const blockRows = 1_000

const largeTables: readonly TableRule[] = [
  { table: 'uploads', json: 'rest', name: 'slug', instant: 'created_at', type: storedJson.uploads },
  { table: 'requests', json: 'rest', name: 'id', type: storedJson.requests },
]

const smallTables: readonly TableRule[] = [
  { table: 'accounts', json: 'record', name: 'id', type: storedJson.accounts },
  { table: 'albums', json: 'record', name: 'id', type: storedJson.albums },
  { table: 'upload_totals', json: 'totals', name: 'account_id', type: storedJson.uploadTotals },
  { table: 'quotas', json: 'state', name: 'key_hash', type: storedJson.quotas },
  { table: 'sessions', json: 'session', name: 'id_hash', type: storedJson.sessions },
  { table: 'notes', json: 'value', name: 'name', type: { isSound: isObject } },
]

/**
 * Checks every row at the start: a damaged one could otherwise break a request, or the process, at any time.
 * @throws Error naming the first damaged row
 */
export function checkRows(database: SqlDatabase): void {
  for (const rule of smallTables) checkEachRow(database, rule)
  for (const rule of largeTables) {
    if (!blocksAreValid(database, rule)) checkEachRow(database, rule)
  }
}

/** Fails if any row of a block is invalid, or if the block as a whole is not valid JSON. */
function blocksAreValid(database: SqlDatabase, { table, json, instant = '0', type }: TableRule): boolean {
  const block = database.prepare(
    `SELECT group_concat(json) AS list, count(*) AS count, max(number) AS last, min(instant) AS first, max(instant) AS newest
    FROM (SELECT rowid AS number, ${json} AS json, ${instant} AS instant FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${blockRows})`,
  )
  for (let last = 0; ; ) {
    const { list = null, count = 0, last: reached = 0, first, newest } = block.get(last) ?? {}
    if (count === 0) return true
    if (!isUsableInstant(first) || !isUsableInstant(newest)) return false
    const found = parsed(`[${list}]`)
    if (!Array.isArray(found) || found.length !== count) return false
    if (!found.every(type.isSound)) return false
    last = Number(reached)
  }
}

function checkEachRow(database: SqlDatabase, { table, json, name, instant = '0', type }: TableRule): void {
  const rows = database.prepare(`SELECT ${name} AS name, ${json} AS json, ${instant} AS instant FROM ${table}`)
  for (const row of rows.all()) {
    const found = parsed(String(row['json']))
    if (!isUsableInstant(row['instant']) || !type.isSound(found)) throw damageError(table, row['name'])
  }
}

function damageError(table: string, name: unknown): Error {
  const row = `the row ${JSON.stringify(name)} of ${table}`
  return new Error(`${row} in its records.db is damaged; restore that file from a copy, or choose another folder`)
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
