import type { SQLInputValue } from 'node:sqlite'
import type { NewRequest, QuotaState, RecordDump, RequestRecord } from './record-types.ts'
import { type Database, putter, type Row, UnwrittenError } from './turn.ts'

/** Columns have the names of the fields; `rest` has those that few requests have, as JSON. */
export const requestsSchema = `
CREATE TABLE requests (number INTEGER PRIMARY KEY AUTOINCREMENT, accountId INTEGER, at REAL NOT NULL,
  method TEXT NOT NULL, endpoint TEXT NOT NULL, status INTEGER NOT NULL, cost INTEGER NOT NULL, clientIp TEXT NOT NULL,
  keyIn TEXT NOT NULL, rest TEXT, headers TEXT NOT NULL) STRICT;
CREATE TABLE usage (accountId INTEGER PRIMARY KEY, logged INTEGER NOT NULL, charge TEXT NOT NULL) STRICT;`

/** Beyond so many requests the oldest are dropped. */
export const mostKept = 100_000

const columns = 'number accountId at method endpoint status cost clientIp keyIn headers rest'.split(' ')
const putRequest = putter('requests', columns)

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

/** Held in memory because every request asks for it, and written once a turn. */
interface AccountUsage {
  /** What the windows of its key were charged. */
  charge: QuotaState
  /** How many of its requests were logged. */
  logged: number
}

/** The key of requests without an account. */
const noAccount = 0

/** Requests to the service, and what the keys of accounts were charged for them. */
export class RequestLog {
  readonly #database: Database
  readonly #usage = new Map<number, AccountUsage>()
  /** The accounts whose usage this turn has changed. */
  readonly #changed = new Set<number>()
  readonly #followers = new Map<(request: RequestRecord) => void, () => void>()
  #last = 0
  #kept = 0

  constructor(database: Database) {
    this.#database = database
    database.beforeCommit = () => this.#saveUsage()
    this.reload()
  }

  /** Reads again what is held in memory; call when the tables were changed from elsewhere. */
  reload(): void {
    this.#usage.clear()
    this.#changed.clear()
    for (const { accountId, logged, charge } of this.query('SELECT * FROM usage')) {
      this.#usage.set(Number(accountId), { logged: Number(logged), charge: JSON.parse(String(charge)) })
    }
    this.#last = this.#database.lastId('requests')
    this.#kept = this.count()
  }

  #saveUsage(): void {
    for (const accountId of this.#changed) {
      const { logged, charge } = this.#change(accountId)
      this.#database.write('REPLACE INTO usage VALUES (?, ?, ?)', accountId, logged, JSON.stringify(charge))
    }
    this.#changed.clear()
  }

  /** The usage of an account, for the caller to change. */
  #change(accountId: number | null): AccountUsage {
    const id = accountId ?? noAccount
    const usage = this.#usage.get(id) ?? { charge: {}, logged: 0 }
    this.#usage.set(id, usage)
    this.#changed.add(id)
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
    for (const notify of this.#followers.keys()) notify(record)
    return record
  }

  #add({ fault, faultId, file, stored, breach, refusal, ...row }: RequestRecord) {
    this.#last = row.number
    this.#change(row.accountId).logged += 1
    const rest = JSON.stringify({ fault, faultId, file, stored, breach, refusal })
    putRequest(this.#database, { ...row, rest: rest === '{}' ? null : rest })
    this.#kept += 1
    if (this.#kept <= mostKept) return
    this.#database.write('DELETE FROM requests WHERE number = (SELECT min(number) FROM requests)')
    this.#kept -= 1
  }

  /** What the windows of an account's key were charged. */
  chargeOf(accountId: number): QuotaState {
    return this.#usage.get(accountId)?.charge ?? {}
  }

  setCharge(accountId: number, charge: QuotaState): void {
    this.#change(accountId).charge = charge
  }

  /**
   * Calls `notify` for every request logged from now on.
   * @param close called when the emulator closes
   * @returns unsubscribes
   */
  subscribe(notify: (request: RequestRecord) => void, close: () => void): () => void {
    this.#followers.set(notify, close)
    return () => void this.#followers.delete(notify)
  }

  /** Ends all subscriptions. */
  end(): void {
    const ends = [...this.#followers.values()]
    this.#followers.clear()
    for (const end of ends) end()
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
      this.#change(accountId as number | null).logged -= Number(count)
      this.#kept -= Number(count)
    }
    return before - this.#kept
  }

  /** What a dump has of it besides the requests. */
  usage(): RecordDump['usage'] {
    const kept = this.query('SELECT ifnull(accountId, 0) AS id, count(*) AS kept FROM requests GROUP BY 1')
    const keptOf = new Map(kept.map((row) => [Number(row['id']), Number(row['kept'])]))
    return [...this.#usage]
      .sort(([one], [other]) => one - other)
      .map(([id, { logged, charge }]) => {
        return { accountId: id === noAccount ? null : id, dropped: logged - (keptOf.get(id) ?? 0), charge }
      })
      .filter(({ dropped, charge }) => dropped > 0 || Object.keys(charge).length > 0)
  }

  /** Fills the empty log. */
  load({ requests, usage, lastIds }: RecordDump): void {
    for (const request of requests) this.#add(request)
    this.#last = Math.max(this.#last, lastIds.request)
    for (const { accountId, dropped, charge } of usage) {
      const of = this.#change(accountId)
      of.logged += dropped
      of.charge = charge
    }
  }
}

function requestOf({ rest, ...request }: Row): RequestRecord {
  const more = rest === null ? {} : JSON.parse(String(rest))
  return { ...request, ...more } as unknown as RequestRecord
}
