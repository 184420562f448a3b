import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import type { DroppedRequests, NewRequest, QuotaState, RecordDump, RequestRecord } from './record-types.ts'
import { parsedRow } from './sqlite.ts'
import type { Turns } from './turn.ts'

/** A request and the charge of its key are one row; `charges` has what no row of the log tells any more. */
export const requestsSchema = `
CREATE TABLE requests (number INTEGER PRIMARY KEY, account_id INTEGER, at REAL NOT NULL, method TEXT NOT NULL,
  endpoint TEXT NOT NULL, status INTEGER NOT NULL, cost INTEGER NOT NULL, client_ip TEXT NOT NULL, key_in TEXT NOT NULL,
  logged INTEGER NOT NULL, bytes INTEGER NOT NULL, charge TEXT, rest TEXT, headers TEXT NOT NULL) STRICT;
CREATE TABLE charges (account_id INTEGER PRIMARY KEY, since INTEGER NOT NULL, logged INTEGER NOT NULL,
  charge TEXT NOT NULL) STRICT;`

/** The size of the request log; beyond either limit the oldest requests are dropped. */
export interface LogLimits {
  /** Default: 100,000. */
  readonly maxKept?: number
  /** Of the requests' texts, so that long paths do not fill the memory. Default: 64 MiB. */
  readonly maxBytes?: number
}

const usualLimits = { maxKept: 100_000, maxBytes: 67_108_864 }

const columns = {
  number: 'number',
  accountId: 'account_id',
  at: 'at',
  method: 'method',
  endpoint: 'endpoint',
  status: 'status',
  cost: 'cost',
  clientIp: 'client_ip',
  keyIn: 'key_in',
  headers: 'headers',
  /** The fields that few requests have, as JSON. */
  rest: 'rest',
} as const

type LogField = keyof typeof columns
const fields = Object.keys(columns) as readonly LogField[]

/** Some requests of the log; default: all. */
export interface LogPart {
  /** A condition on the columns, with a `?` for each of the values. */
  readonly where?: string | undefined
  readonly values?: readonly SQLInputValue[]
  /** What SQL cannot ask. */
  readonly test?: ((request: RequestRecord) => boolean) | undefined
  /** Only requests with higher and with lower numbers. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  /** Only the newest so many. */
  readonly limit?: number | undefined
  /** What the reader of a long part needs not; those fields are absent then. */
  readonly without?: readonly LogField[]
}

/** What an account's newest row tells, held in memory because every request asks for it. */
interface AccountLog {
  charge: QuotaState
  /** How many requests were logged, and how many of them the log still has. */
  logged: number
  kept: number
  /** The number of its newest request, or of the newest of all when its charge was stored beside the log. */
  newest: number
}

/** The key of requests without an account. */
const noAccount = 0

/** Requests to the service, and what the keys of accounts were charged for them. */
export class RequestLog {
  readonly #database: DatabaseSync
  readonly #turns: Turns
  readonly #limits: Required<LogLimits>
  readonly #insert
  readonly #delete
  readonly #putCharge
  readonly #oldest
  readonly #accounts = new Map<number, AccountLog>()
  /** Accounts whose charge is in no row yet; the row of the request takes it along, or else the end of the turn. */
  readonly #unsaved = new Set<number>()
  readonly #followers = new Map<(request: RequestRecord) => void, () => void>()
  #last = 0
  #era = 0
  #kept = 0
  #bytes = 0
  #logged = 0

  constructor(database: DatabaseSync, turns: Turns, limits: LogLimits = {}) {
    this.#database = database
    this.#turns = turns
    this.#limits = { ...usualLimits, ...limits }
    this.#insert = database.prepare(`INSERT INTO requests (${Object.values(columns).join(', ')}, logged, bytes, charge)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#delete = database.prepare('DELETE FROM requests WHERE number = ?')
    this.#putCharge = database.prepare('REPLACE INTO charges VALUES (?, ?, ?, ?)')
    this.#oldest = database.prepare('SELECT number, account_id, bytes FROM requests ORDER BY number LIMIT 1')
    this.reload()
  }

  /** Reads again what is held in memory; call when the tables were changed from elsewhere. */
  reload(): void {
    const rows = (sql: string) => this.#database.prepare(sql).all()
    this.#accounts.clear()
    this.#unsaved.clear()
    for (const { account_id, since, logged, charge } of rows('SELECT * FROM charges')) {
      const account = this.#of(Number(account_id))
      account.charge = parsedRow(charge, 'charges', account_id)
      account.logged = Number(logged)
      account.newest = Number(since)
    }
    const grouped = (more: string, where = '1') =>
      rows(`SELECT ifnull(account_id, ${noAccount}) AS id, max(number) AS newest, ${more} FROM requests
        WHERE ${where} GROUP BY 1`)
    for (const { id, newest, charge } of grouped('charge', 'charge IS NOT NULL')) {
      const account = this.#of(Number(id))
      if (Number(newest) > account.newest) account.charge = parsedRow(charge, 'requests', Number(newest))
    }
    for (const { id, newest, kept, logged } of grouped('count(*) AS kept, logged')) {
      const account = this.#of(Number(id))
      account.kept = Number(kept)
      if (Number(newest) > account.newest) Object.assign(account, { logged: Number(logged), newest: Number(newest) })
    }
    const [sums] = rows('SELECT count(*) AS kept, total(bytes) AS bytes FROM requests')
    this.#kept = Number(sums?.['kept'])
    this.#bytes = Number(sums?.['bytes'])
    const accounts = [...this.#accounts.values()]
    this.#last = Math.max(0, ...accounts.map(({ newest }) => newest))
    this.#logged = accounts.reduce((sum, { logged }) => sum + logged, 0)
  }

  #of(accountId: number | null): AccountLog {
    const known = this.#accounts.get(accountId ?? noAccount)
    if (known !== undefined) return known
    const account = { charge: {}, logged: 0, kept: 0, newest: 0 }
    this.#accounts.set(accountId ?? noAccount, account)
    return account
  }

  append(request: NewRequest): RequestRecord {
    const record = { number: this.#last + 1, ...request }
    this.#turns.note(() => this.#add(record))
    for (const notify of this.#followers.keys()) notify(record)
    return record
  }

  #add({ number, accountId, at, method, endpoint, status, cost, clientIp, keyIn, headers, ...others }: RequestRecord) {
    const account = this.#of(accountId)
    this.#last = number
    account.logged += 1
    account.kept += 1
    account.newest = number
    this.#kept += 1
    this.#logged += 1
    const json = JSON.stringify(others)
    const rest = json === '{}' ? null : json
    const bytes = rowBytes + method.length + endpoint.length + clientIp.length + headers.length + (rest?.length ?? 0)
    this.#bytes += bytes
    const charge = this.#unsaved.delete(accountId ?? noAccount) ? JSON.stringify(account.charge) : null
    const texts = [method, endpoint, status, cost, clientIp, keyIn, headers, rest] as const
    this.#insert.run(number, accountId, at, ...texts, account.logged, bytes, charge)
    const { maxKept, maxBytes } = this.#limits
    while (this.#kept > 1 && (this.#kept > maxKept || this.#bytes > maxBytes)) this.#take(this.#oldest.get() ?? {})
  }

  /** Takes a row out, which still counts. */
  #take({ number, account_id, bytes }: Record<string, SQLOutputValue>): void {
    this.#delete.run(number ?? null)
    this.#kept -= 1
    this.#bytes -= Number(bytes)
    const account = this.#of(account_id as number | null)
    account.kept -= 1
    // The row was the one that told the charge and the count.
    if (account.newest === number) this.#save(Number(account_id ?? noAccount))
  }

  /** Writes the charge and the count of an account beside the log. */
  #save(accountId: number): void {
    const { charge, logged } = this.#of(accountId)
    this.#putCharge.run(accountId, this.#last, logged, JSON.stringify(charge))
    this.#unsaved.delete(accountId)
  }

  /** Call before a commit. */
  saveCharges(): void {
    for (const accountId of this.#unsaved) this.#save(accountId)
  }

  /** What the windows of an account's key were charged. */
  chargeOf(accountId: number): QuotaState {
    return this.#accounts.get(accountId)?.charge ?? {}
  }

  setCharge(accountId: number, charge: QuotaState): void {
    this.#of(accountId).charge = charge
    this.#unsaved.add(accountId)
    this.#turns.note(() => {})
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

  /** How many requests were logged, over all accounts or of one, dropped ones included. */
  logged(accountId?: number): number {
    return accountId === undefined ? this.#logged : (this.#accounts.get(accountId)?.logged ?? 0)
  }

  /**
   * `last`: the highest number so far. `era` changes whenever requests were deleted, by a reset or a restore too: what a
   * reader has seen may be gone. `dropped`: for lack of room.
   */
  state() {
    return { last: this.#last, era: this.#era, kept: this.#kept, dropped: this.#logged - this.#kept }
  }

  #statement(wanted: string, { where = '1', after = 0, before = Number.MAX_SAFE_INTEGER, limit }: LogPart) {
    const order = limit === undefined ? 'number' : 'number DESC'
    const range = `number > ${Math.floor(after)} AND number < ${Math.ceil(before)}`
    const statement = this.#database.prepare(
      `SELECT ${wanted} FROM requests WHERE ${range} AND (${where}) ORDER BY ${order}`,
    )
    statement.setReturnArrays(true)
    return statement
  }

  /** A part of the log, oldest first. */
  select(part: LogPart = {}): readonly RequestRecord[] {
    const { values = [], test, limit = Number.POSITIVE_INFINITY, without = [] } = part
    const wanted = fields.filter((field) => !without.includes(field))
    const found: RequestRecord[] = []
    const statement = this.#statement(wanted.map((field) => columns[field]).join(), part)
    for (const row of statement.iterate(...values)) {
      const request = requestOf(wanted, row as unknown as readonly SQLOutputValue[])
      if (test === undefined || test(request)) found.push(request)
      if (found.length >= limit) break
    }
    return part.limit === undefined ? found : found.reverse()
  }

  /** How many requests are in a part of the log, and the units charged for them. */
  sum(part: LogPart = {}): { readonly count: number; readonly units: number } {
    if (part.test !== undefined) {
      const found = this.select(part)
      return { count: found.length, units: found.reduce((sum, { cost }) => sum + cost, 0) }
    }
    const sums = this.#statement('count(*), total(cost)', part).get(...(part.values ?? []))
    const [count, units] = sums as unknown as readonly number[]
    return { count: Number(count), units: Number(units) }
  }

  /** The request with this number; undefined if the log has it no more. */
  get(number: number): RequestRecord | undefined {
    return Number.isInteger(number) ? this.select({ after: number - 1, before: number + 1 })[0] : undefined
  }

  /** Deletes a part of the log as if its requests had not been made, and returns how many. */
  remove({ where = '1', values = [], test }: LogPart = {}): number {
    const rows = this.#database.prepare(`SELECT number, account_id, bytes FROM requests WHERE ${where}`)
    const matching = test && new Set(this.select({ where, values, test }).map(({ number }) => number))
    const gone = rows.all(...values).filter(({ number }) => matching?.has(Number(number)) !== false)
    this.#turns.write('ordinary', () => {
      for (const row of gone) {
        this.#of(row['account_id'] as number | null).logged -= 1
        this.#logged -= 1
        this.#take(row)
      }
      for (const accountId of new Set(gone.map(({ account_id }) => Number(account_id ?? noAccount))))
        this.#save(accountId)
    })
    if (gone.length > 0) this.#era += 1
    return gone.length
  }

  droppedByAccount(): readonly DroppedRequests[] {
    return [...this.#accounts]
      .map(([id, { logged, kept }]) => ({ accountId: id === noAccount ? null : id, count: logged - kept }))
      .filter(({ count }) => count > 0)
  }

  /** Replaces all of it, within a turn. @param charges by account */
  load({ requests, droppedRequests, lastIds }: RecordDump, charges: ReadonlyMap<number, QuotaState>): void {
    this.#database.exec('DELETE FROM requests; DELETE FROM charges')
    this.reload()
    for (const { accountId, count } of droppedRequests) {
      this.#of(accountId).logged = count
      this.#logged += count
    }
    for (const request of requests) this.#add(request)
    for (const [accountId, charge] of charges) this.#of(accountId).charge = charge
    this.#last = lastIds.request
    for (const accountId of this.#accounts.keys()) this.#save(accountId)
    this.#era += 1
  }
}
/** Bytes of a row besides its texts. */
const rowBytes = 120

function requestOf(wanted: readonly LogField[], row: readonly SQLOutputValue[]): RequestRecord {
  const request: Partial<Record<LogField, SQLOutputValue>> = {}
  let rest: SQLOutputValue = null
  for (let at = 0; at < wanted.length; at += 1) {
    const [field, value = null] = [wanted[at] as LogField, row[at]]
    if (field === 'rest') rest = value
    else request[field] = value
  }
  return Object.assign(request, rest === null ? {} : parsedRow(rest, 'requests', row[0])) as unknown as RequestRecord
}
