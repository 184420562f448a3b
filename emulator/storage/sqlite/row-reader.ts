import { TextDecoder } from 'node:util'
import { quoted } from '../../../src/checks/quoted.ts'
import type { Codec } from '../../values/codec.ts'
import { restoreAdvice } from './damage.ts'
import type { SqlDatabase, SqlValue } from './sql-database.ts'

export interface TableRows {
  readonly table: string
  readonly key: string
  /** The column that names a row in errors. Default: the key. */
  readonly name?: string
  /** A row's value as JSON text, in SQL. */
  readonly json: string
  /** What the value has to be. */
  readonly type: Pick<Codec<unknown>, 'isSound'>
}

/** Rows read at once; reading them one by one takes several times as long. */
const blockRows = 1_000

/**
 * Reads a table by its key. Each row is checked: a damaged one could otherwise break a request at any time. Text is read as
 * bytes, because that of a damaged row need not be UTF-8.
 * @throws Error naming the first damaged row
 */
export function readRows<Key, Value>(
  database: SqlDatabase,
  rows: TableRows,
  take: (key: Key, value: Value) => void,
): void {
  const { table, key, json, type } = rows
  const blockOf = (where: string) =>
    database.prepare(
      `SELECT CAST(group_concat(key) AS BLOB) AS keys, CAST(group_concat(value) AS BLOB) AS list, count(*) AS count
      FROM (SELECT json_quote(${key}) AS key, ${json} AS value FROM ${table} ${where} ORDER BY ${key} LIMIT ${blockRows})`,
    )
  const next = blockOf(`WHERE ${key} > ?`)
  for (let block = blockOf('').get(); block !== undefined && block['count'] !== 0; ) {
    // Lists of their own: of objects alone, V8 reads the next by the form of the one before.
    const [keys, values] = [listOf(block['keys']), listOf(block['list'])]
    const isWhole = keys.length === block['count'] && values.length === block['count']
    if (!isWhole || !values.every(type.isSound)) throw damageIn(database, rows)
    for (const [index, found] of keys.entries()) take(found as Key, values[index] as Value)
    block = next.get(keys.at(-1) as SqlValue)
  }
}

function damageIn(database: SqlDatabase, { table, key, name = key, json, type }: TableRows): Error {
  const all = database.prepare(
    `SELECT iif(typeof(${name}) = 'text', CAST(${name} AS BLOB), ${name}) AS name, CAST(json_quote(${key}) AS BLOB) AS key,
      CAST(${json} AS BLOB) AS value FROM ${table}`,
  )
  const damaged = all.all().find((row) => listOf(row['key']).length === 0 || !type.isSound(listOf(row['value'])[0]))
  const found = damaged?.['name'] ?? null
  const readable = isBytes(found) ? Buffer.from(found).toString() : found
  return new Error(`the row ${quoted(readable)} of ${table} in its records.db is damaged; ${restoreAdvice}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Of JSON texts with commas between them; empty if they are not JSON in UTF-8. */
function listOf(bytes: SqlValue = null): readonly unknown[] {
  try {
    return isBytes(bytes) ? JSON.parse(`[${utf8.decode(bytes)}]`) : []
  } catch {
    return []
  }
}

/** Not by `instanceof`: test runners give each file classes of its own. */
function isBytes(value: SqlValue): value is Uint8Array {
  return typeof value === 'object' && value !== null
}
