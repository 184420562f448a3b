import { TextDecoder } from 'node:util'
import { isObject, parseJson } from '../../../src/checks/json.ts'
import { quoted } from '../../../src/checks/quoted.ts'
import { type Codec, objectOf } from '../../values/codec.ts'
import { count, isUsableInstant } from '../../values/value-type.ts'
import { storedJson } from '../records.ts'
import { requestRecord } from '../request-records.ts'
import { restoreAdvice } from './damage.ts'
import type { SqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

interface TableRule {
  readonly table: string
  /** The column that names a row in errors. */
  readonly name: string
  readonly texts?: readonly string[]
  readonly numbers?: readonly string[]
  /** The column with an instant, if there is one. */
  readonly instant?: string
  /** The column with JSON, if there is one. */
  readonly json?: string
  /** What the JSON has to be. */
  readonly type?: Pick<Codec<unknown>, 'isSound'>
}

/** Rows read at once; reading them one by one takes several times as long. */
const blockRows = 1_000

const largeTables: readonly TableRule[] = [
  {
    table: 'uploads',
    name: 'slug',
    texts: ['slug', 'blob_id'],
    numbers: ['id', 'account_id'],
    instant: 'created_at',
    json: 'rest',
    type: storedJson.uploads,
  },
  { table: 'requests', name: 'id', numbers: ['account_id'], json: 'rest', type: storedJson.requests },
]

const anObject = { isSound: isObject }

/** Of a key and its value; null if it was deleted. */
const changeOf = ({ isSound }: Pick<Codec<unknown>, 'isSound'>) => ({
  isSound: (found: unknown) => Array.isArray(found) && (found[1] === null || isSound(found[1])),
})

/** What a turn may have changed, by the names that its parts join with. */
const changes: Readonly<Record<string, Pick<Codec<unknown>, 'isSound'>>> = {
  requests: changeOf(requestRecord),
  request_counts: changeOf(objectOf({ kept: count, dropped: count })),
  last_ids: changeOf(count),
  quotas: changeOf(storedJson.quotas),
  notes: changeOf(anObject),
}

/** Whether all changes that were written of a turn are what they have to be. */
export function isSoundTurn(found: unknown): found is Readonly<Record<string, readonly unknown[]>> {
  const isSound = ([name, list]: readonly [string, unknown]) =>
    Array.isArray(list) && list.every((change) => changes[name]?.isSound(change))
  return isObject(found) && Object.entries(found).every(isSound)
}

const smallTables: readonly TableRule[] = [
  { table: 'accounts', name: 'id', json: 'record', type: storedJson.accounts },
  { table: 'albums', name: 'id', json: 'record', type: storedJson.albums },
  { table: 'request_counts', name: 'account_id', numbers: ['kept', 'dropped'] },
  { table: 'last_ids', name: 'kind', texts: ['kind'], numbers: ['id'] },
  { table: 'quotas', name: 'key_hash', texts: ['key_hash'], json: 'state', type: storedJson.quotas },
  { table: 'sessions', name: 'id_hash', texts: ['id_hash'], json: 'session', type: storedJson.sessions },
  { table: 'notes', name: 'name', texts: ['name'], json: 'value', type: anObject },
]

/**
 * Checks every row at the start: a damaged one could otherwise break a request, or the process, at any time. libsql ends
 * the process when it reads text that is not UTF-8, so all text is read as bytes here.
 * @throws Error naming the first damaged row
 */
export function checkRows(database: SqlDatabase): void {
  for (const rule of smallTables) checkEachRow(database, rule)
  for (const rule of largeTables) if (!blocksAreValid(database, rule)) checkEachRow(database, rule)
}

/** Fails if any row of a block is invalid, or if the block as a whole is not valid JSON. */
function blocksAreValid(database: SqlDatabase, rule: TableRule): boolean {
  const block = database.prepare(
    `SELECT CAST(group_concat(json) AS BLOB) AS json, CAST(group_concat(texts) AS BLOB) AS texts, sum(wrong_types) AS wrong_types,
      min(instant) AS first, max(instant) AS newest, count(*) AS count, max(number) AS last
    FROM (SELECT rowid AS number, ${checkedColumns(rule)} FROM ${rule.table} WHERE rowid > ? ORDER BY rowid LIMIT ${blockRows})`,
  )
  for (let last = 0; ; ) {
    const row = block.get(last)
    if (row === undefined || row['count'] === 0) return true
    const { first = null, newest = null } = row
    if (!hasSoundColumns(row, [first, newest])) return false
    const found = parsed(row['json'], (list) => `[${list}]`)
    if (!Array.isArray(found) || found.length !== row['count']) return false
    if (rule.type !== undefined && !found.every(rule.type.isSound)) return false
    last = Number(row['last'])
  }
}

function checkEachRow(database: SqlDatabase, rule: TableRule): void {
  const rows = database.prepare(`SELECT ${bytesOfText(rule.name)} AS name, ${checkedColumns(rule)} FROM ${rule.table}`)
  for (const row of rows.all()) {
    const { json = null, instant = null } = row
    const isSound = hasSoundColumns(row, [instant]) && (rule.type?.isSound(parsed(json)) ?? true)
    if (!isSound) throw damageError(rule.table, row['name'])
  }
}

/** Of damaged rows too: numbers, and text as bytes. */
function checkedColumns({ texts = [], numbers = [], instant = '0', json = "'0'" }: TableRule): string {
  const wrongTypes = [
    ...[...texts, json].map((column) => `typeof(${column}) NOT IN ('text', 'null')`),
    ...numbers.map((column) => `typeof(${column}) NOT IN ('integer', 'real', 'null')`),
  ]
  return [
    `CAST(${json} AS BLOB) AS json`,
    `CAST(${texts.map((column) => `ifnull(${column}, '')`).join(" || ',' || ") || "''"} AS BLOB) AS texts`,
    `${wrongTypes.join(' OR ')} AS wrong_types`,
    `CASE WHEN typeof(${instant}) IN ('integer', 'real') THEN ${instant} ELSE 9e99 END AS instant`,
  ].join(', ')
}

function hasSoundColumns({ wrong_types: wrongTypes, texts = null }: SqlRow, instants: readonly SqlValue[]): boolean {
  return wrongTypes === 0 && decoded(texts) !== undefined && instants.every(isUsableInstant)
}

function bytesOfText(column: string): string {
  return `iif(typeof(${column}) = 'text', CAST(${column} AS BLOB), ${column})`
}

function damageError(table: string, name: SqlValue = null): Error {
  const readable = isBytes(name) ? Buffer.from(new Uint8Array(name)).toString() : name
  const row = `the row ${quoted(readable)} of ${table}`
  return new Error(`${row} in its records.db is damaged; ${restoreAdvice}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Undefined if the bytes are not UTF-8. */
function decoded(bytes: SqlValue): string | undefined {
  try {
    return isBytes(bytes) ? utf8.decode(bytes) : undefined
  } catch {
    return undefined
  }
}

/** Undefined if it is not JSON. */
function parsed(bytes: SqlValue = null, wrap = (text: string) => text): unknown {
  return parseJson(wrap(decoded(bytes) ?? ''))
}

/** Not by `instanceof`: test runners give each file classes of its own. */
function isBytes(value: SqlValue): value is ArrayBuffer | Uint8Array {
  return typeof value === 'object' && value !== null
}
