import { isUsableInstant } from '../../values/instant.ts'
import type { SqlDatabase } from './sql-database.ts'

/** What a table has in each of its rows. */
interface TableRule {
  readonly table: string
  /** The column of JSON. */
  readonly json: string
  /** The column that a row is called by. */
  readonly name: string
  /** The column of an instant, where there is one. */
  readonly instant?: string
  /** Whether what the JSON says is of the form that was written. */
  isSound(found: Fields): boolean
}

/** An object, of which nothing else is known. */
type Fields = Readonly<Record<string, unknown>>

/** How many rows are read at once: reading each alone takes several times as long. */
const blockRows = 1_000

/** Tables that may have many rows. */
const largeTables: readonly TableRule[] = [
  {
    table: 'uploads',
    json: 'rest',
    name: 'slug',
    instant: 'created_at',
    isSound: ({ title, mimeType, sizeBytes, views, indirectViews = 0, likes, thumbnail }) =>
      isTextOrNull(title) &&
      typeof mimeType === 'string' &&
      [sizeBytes, views, indirectViews, likes].every(isCount) &&
      isObject(thumbnail) &&
      isSoundThumbnail(thumbnail),
  },
  {
    table: 'requests',
    json: 'rest',
    name: 'id',
    isSound: ({ method, endpoint, clientIp, keyIn, status, cost, at }) =>
      [method, endpoint, clientIp, keyIn].every((text) => typeof text === 'string') &&
      [status, cost].every(isCount) &&
      isUsableInstant(at),
  },
]

const smallTables: readonly TableRule[] = [
  {
    table: 'accounts',
    json: 'record',
    name: 'id',
    isSound: ({ id, email, passwordHash, keyHash, suspended, suspensionReason, ipAllowlist, quotas, ...counts }) =>
      isCount(id) &&
      [email, passwordHash, keyHash].every((text) => typeof text === 'string') &&
      typeof suspended === 'boolean' &&
      isTextOrNull(suspensionReason) &&
      Array.isArray(ipAllowlist) &&
      (quotas === null || isObject(quotas)) &&
      [counts['albums'], counts['feedViews']].every(isCount),
  },
  {
    table: 'upload_totals',
    json: 'totals',
    name: 'account_id',
    isSound: ({ uploads, views, bytes }) => [uploads, views, bytes].every(Number.isFinite),
  },
  { table: 'quotas', json: 'state', name: 'key_hash', isSound: (state) => Object.values(state).every(isObject) },
  { table: 'notes', json: 'value', name: 'name', isSound: () => true },
]

/**
 * Looks at every row once, before anything is said to be ready: a damaged one would otherwise end a request, or the
 * process, at any time later.
 * @throws Error naming the first row that is not of the form in which it was written
 */
export function expectSoundRows(database: SqlDatabase): void {
  for (const rule of smallTables) expectSoundTable(database, rule)
  for (const rule of largeTables) {
    if (!isSoundInBlocks(database, rule)) expectSoundTable(database, rule)
  }
}

/** Where one row is damaged, all of its block are no JSON, or too many, or one of them is not sound. */
function isSoundInBlocks(database: SqlDatabase, { table, json, instant = '0', isSound }: TableRule): boolean {
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
    if (!found.every((fields) => isObject(fields) && isSound(fields))) return false
    last = Number(reached)
  }
}

function expectSoundTable(database: SqlDatabase, { table, json, name, instant = '0', isSound }: TableRule): void {
  const rows = database.prepare(`SELECT ${name} AS name, ${json} AS json, ${instant} AS instant FROM ${table}`)
  for (const row of rows.all()) {
    const found = parsed(String(row['json']))
    if (!isUsableInstant(row['instant']) || !isObject(found) || !isSound(found)) throw damageOf(table, row['name'])
  }
}

function damageOf(table: string, name: unknown): Error {
  const row = `the row ${JSON.stringify(name)} of ${table}`
  return new Error(`${row} in its records.db is damaged; put a copy of that file back, or choose another folder`)
}

/** Undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSoundThumbnail({ state, dueAt, blobId, mimeType, sizeBytes }: Fields): boolean {
  if (state === 'pending') return isUsableInstant(dueAt)
  if (state === 'ready') return typeof blobId === 'string' && typeof mimeType === 'string' && isCount(sizeBytes)
  return state === 'none'
}

function isObject(found: unknown): found is Fields {
  return typeof found === 'object' && found !== null && !Array.isArray(found)
}

function isTextOrNull(found: unknown): boolean {
  return found === null || typeof found === 'string'
}

function isCount(found: unknown): boolean {
  return Number.isSafeInteger(found) && Number(found) >= 0
}
