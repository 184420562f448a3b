import { EventEmitter } from 'node:events'
import type { SQLInputValue } from 'node:sqlite'
import type { NewRequest, QuotaState, RecordDump, RequestRecord } from './record-types.ts'
import { type Database, type Row, UnwrittenError } from './turn.ts'

/**
 * Columns have the names of the fields; `rest` has those that few requests have, as JSON. A request, its account's number
 * of requests and the charge of its key are one row; `usage` has what no later row tells.
 */
export const requestsSchema = `
CREATE TABLE requests (number INTEGER PRIMARY KEY, accountId INTEGER, at REAL NOT NULL, method TEXT NOT NULL,
  endpoint TEXT NOT NULL, status INTEGER NOT NULL, cost INTEGER NOT NULL, clientIp TEXT NOT NULL, keyIn TEXT NOT NULL,
  logged INTEGER NOT NULL, charge TEXT NOT NULL, rest TEXT, headers TEXT NOT NULL) STRICT;
CREATE TABLE usage (accountId INTEGER PRIMARY KEY, last INTEGER NOT NULL, logged INTEGER NOT NULL,
  charge TEXT NOT NULL) STRICT;`

/** Beyond so many requests the oldest are dropped. */
export const mostKept = 100_000

const columns = 'number accountId at method endpoint status cost clientIp keyIn headers rest'.split(' ')
const written = [...columns, 'logged', 'charge']
const addRequest = `INSERT INTO requests (${written}) VALUES (${written.map(() => '?')})`

/** Some requests of the log; default: all. */
export interface LogPart {
  /** A condition on the columns, with a `?` for each of the values. */
  readonly where?: string | undefined
  readonly values?: readonly SQLInputValue[]
  /** Only requests with higher and with lower numbers. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  /** Only the newest so many. */
  readonly limit?: number | undefined
}

/** Held in memory because every request asks for it. */
interface AccountUsage {
  /** What the windows of its key were charged. */
  charge: QuotaState
  /** How many of its requests were logged. */
  logged: number
  /** The number of the row that says so. */
  last: number
}

/** The key of requests without an account. */
const noAccount = 0

/** Requests to the service, and what the keys of accounts were charged for them. */
export class RequestLog {
  readonly #database: Database
  readonly #usage = new Map<number, AccountUsage>()
  /** Hears of every request that is logged, and of the end of the emulator. */
  readonly followers = new EventEmitter<{ request: [RequestRecord]; end: [] }>().setMaxListeners(0)
  #last = 0
  #kept = 0

  constructor(database: Database) {
    this.#database = database
    this.reload()
  }

  /** Reads again what is held in memory; call when the tables were changed from elsewhere. */
  reload(): void {
    this.#usage.clear()
    // Of the newest row of each account, as SQLite has it for max.
    const newest = `SELECT ifnull(accountId, ${noAccount}) AS accountId, max(number) AS last, logged, charge FROM requests GROUP BY 1`
    for (const { accountId, last, logged, charge } of [...this.query(newest), ...this.query('SELECT * FROM usage')]) {
      const usage = { charge: JSON.parse(String(charge)), logged: Number(logged), last: Number(last) }
      if (usage.last >= this.#of(Number(accountId)).last) this.#usage.set(Number(accountId), usage)
    }
    this.#last = Math.max(0, ...Array.from(this.#usage.values(), ({ last }) => last))
    this.#kept = this.count()
  }

  #of(accountId: number | null): AccountUsage {
    const id = accountId ?? noAccount
    const usage = this.#usage.get(id) ?? { charge: {}, logged: 0, last: 0 }
    this.#usage.set(id, usage)
    return usage
  }

  append(request: NewRequest): RequestRecord {
    const record = { number: this.#last + 1, ...request }
    try {
      this.#add(record)
    } catch (error) {
      // Who waits for `flushed` gets this error.
      if (!(error instanceof UnwrittenError)) throw error
    }
    this.followers.emit('request', record)
    return record
  }

  #add({ fault, faultId, file, stored, breach, refusal, ...row }: RequestRecord) {
    this.#last = row.number
    const usage = this.#of(row.accountId)
    usage.logged += 1
    usage.last = row.number
    const { logged, charge } = usage
    const rest = JSON.stringify({ fault, faultId, file, stored, breach, refusal })
    const more = { rest: rest === '{}' ? null : rest, logged, charge: JSON.stringify(charge) }
    const values: Row = { ...row, ...more }
    this.#database.write(addRequest, ...written.map((name) => values[name] ?? null))
    this.#kept += 1
    if (this.#kept > mostKept) this.#dropOldest()
  }

  #dropOldest(): void {
    const oldest = this.#database.get('SELECT number, accountId FROM requests ORDER BY number LIMIT 1')
    const { number = 0, accountId } = oldest as Row & Pick<RequestRecord, 'number' | 'accountId'>
    this.#database.write('DELETE FROM requests WHERE number = ?', number)
    this.#kept -= 1
    if (this.#of(accountId).last === number) this.#save(accountId)
  }

  /** Writes an account's usage where no row of a request tells it. */
  #save(accountId: number | null): void {
    const { charge, logged } = this.#of(accountId)
    const values = [accountId ?? noAccount, this.#last, logged, JSON.stringify(charge)] as const
    this.#database.write('REPLACE INTO usage VALUES (?, ?, ?, ?)', ...values)
  }

  /** What the windows of an account's key were charged. */
  chargeOf(accountId: number): QuotaState {
    return this.#usage.get(accountId)?.charge ?? {}
  }

  /** The next request of the account writes it. */
  setCharge(accountId: number, charge: QuotaState): void {
    this.#of(accountId).charge = charge
  }

  /** Writes it at once, because no request follows. */
  saveCharge(accountId: number, charge: QuotaState): void {
    this.setCharge(accountId, charge)
    this.#save(accountId)
  }

  /** How many requests of an account were logged, dropped ones included. */
  logged(accountId: number): number {
    return this.#usage.get(accountId)?.logged ?? 0
  }

  /** `last`: the highest number so far. `dropped`: for lack of room. */
  state() {
    const logged = [...this.#usage.values()].reduce((sum, usage) => sum + usage.logged, 0)
    return { last: this.#last, kept: this.#kept, dropped: logged - this.#kept }
  }

  /** Gives SQL a function for conditions on the log. */
  define(name: string, of: (...values: never[]) => SQLInputValue): void {
    this.#database.define(name, of as (...values: SQLInputValue[]) => SQLInputValue)
  }

  /** Asks the table `requests`. */
  query(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#database.ask(sql, ...values)
  }

  /** Columns, or sums, of a part of the log, oldest first. The values of the part are those of `what` and of its condition. */
  rows(what: string, part: LogPart = {}): Row[] {
    const { where = '1', values = [], after = 0, before = Number.MAX_SAFE_INTEGER, limit } = part
    const range = `number > ${Math.floor(after)} AND number < ${Math.ceil(before)}`
    const order = limit === undefined ? 'number' : `number DESC LIMIT ${limit}`
    const rows = this.query(`SELECT ${what} FROM requests WHERE ${range} AND (${where}) ORDER BY ${order}`, ...values)
    return limit === undefined ? rows : rows.reverse()
  }

  /** A part of the log, oldest first. */
  select(part?: LogPart): readonly RequestRecord[] {
    return this.rows(`${columns}`, part).map(requestOf)
  }

  /** How many requests are in a part of the log. */
  count(part?: LogPart): number {
    return Number(this.rows('count(*) AS count', part)[0]?.['count'])
  }

  /** The request with this number; undefined if the log has it no more. */
  get(number: number): RequestRecord | undefined {
    return Number.isInteger(number) ? this.select({ after: number - 1, before: number + 1 })[0] : undefined
  }

  /** Deletes a part of the log as if its requests had not been made, and returns how many. */
  remove({ where = '1', values = [] }: Pick<LogPart, 'where' | 'values'> = {}): number {
    const before = this.#kept
    const part = `FROM requests WHERE ${where}`
    const counts = this.query(`SELECT accountId, count(*) AS count ${part} GROUP BY accountId`, ...values)
    this.#database.write(`DELETE ${part}`, ...values)
    for (const { accountId, count } of counts) {
      this.#of(accountId as number | null).logged -= Number(count)
      this.#kept -= Number(count)
      this.#save(accountId as number | null)
    }
    return before - this.#kept
  }

  /** What a dump has of it besides the requests. */
  usage(): RecordDump['usage'] {
    return [...this.#usage]
      .sort(([one], [other]) => one - other)
      .map(([id, { logged, charge }]) => ({ accountId: id === noAccount ? null : id, logged, charge }))
      .filter(({ logged, charge }) => logged > 0 || Object.keys(charge).length > 0)
  }

  /** Fills the empty log. */
  load({ requests, usage, lastIds }: RecordDump): void {
    for (const request of requests) this.#add(request)
    this.#last = Math.max(this.#last, lastIds.request)
    for (const { accountId, logged, charge } of usage) {
      const used = this.#of(accountId)
      used.logged = Math.max(used.logged, logged)
      this.saveCharge(accountId ?? noAccount, charge)
    }
    // A row keeps the number even if there is no request.
    this.#save(null)
  }
}

function requestOf({ rest, ...request }: Row): RequestRecord {
  const more = rest === null ? {} : JSON.parse(String(rest))
  return { ...request, ...more } as unknown as RequestRecord
}
