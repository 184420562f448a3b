import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { DroppedRequests, QuotaState, RecordDump, RequestRecord } from './record-types.ts'
import { parsedRow } from './sqlite.ts'
import type { Turns } from './turn.ts'

/** A request and the charge of its key are one row; `charges` has what no row of the log tells any more. */
export const requestsSchema = `
CREATE TABLE requests (id INTEGER PRIMARY KEY, account_id INTEGER, at REAL NOT NULL, method TEXT NOT NULL,
  endpoint TEXT NOT NULL, status INTEGER NOT NULL, cost INTEGER NOT NULL, client_ip TEXT NOT NULL, key_in TEXT NOT NULL,
  logged INTEGER NOT NULL, bytes INTEGER NOT NULL, charge TEXT, rest TEXT, headers TEXT NOT NULL) STRICT;
CREATE TABLE charges (account_id INTEGER PRIMARY KEY, since INTEGER NOT NULL, logged INTEGER NOT NULL,
  charge TEXT NOT NULL) STRICT;`

/** The size of the request log; beyond either limit the oldest requests are dropped. */
export interface LogLimits {
  /** Default: {@link maxKeptRequests}. */
  readonly maxKept?: number
  /** Of the requests' texts, so that long paths do not fill the memory. Default: {@link maxKeptRequestBytes}. */
  readonly maxBytes?: number
}

export const maxKeptRequests = 100_000
export const maxKeptRequestBytes = 67_108_864

/** What an account's newest row tells, held in memory because every request asks for it. */
interface AccountLog {
  charge: QuotaState
  /** How many requests were logged, and how many of them the log still has. */
  logged: number
  kept: number
  /** The id of its newest request. */
  newest: number
}

type Row = Record<string, SQLOutputValue>

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
  #list: Map<number, RequestRecord> | undefined
  #last = 0
  #kept = 0
  #bytes = 0
  #logged = 0

  constructor(database: DatabaseSync, turns: Turns, limits: LogLimits = {}) {
    this.#database = database
    this.#turns = turns
    this.#limits = { maxKept: maxKeptRequests, maxBytes: maxKeptRequestBytes, ...limits }
    this.#insert =
      database.prepare(`INSERT INTO requests (id, account_id, at, method, endpoint, status, cost, client_ip,
      key_in, logged, bytes, charge, rest, headers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#delete = database.prepare('DELETE FROM requests WHERE id = ?')
    this.#putCharge = database.prepare('REPLACE INTO charges VALUES (?, ?, ?, ?)')
    this.#oldest = database.prepare('SELECT id, account_id, bytes FROM requests ORDER BY id LIMIT 1')
    this.reload()
  }

  /** Reads again what is held in memory; call when the tables were changed from elsewhere. */
  reload(): void {
    const rows = (sql: string) => this.#database.prepare(sql).all()
    this.#accounts.clear()
    this.#unsaved.clear()
    this.#list = undefined
    for (const { account_id, since, logged, charge } of rows('SELECT * FROM charges')) {
      Object.assign(this.#of(Number(account_id)), {
        charge: parsedRow(charge, 'charges', account_id),
        logged: Number(logged),
        newest: Number(since),
      })
    }
    const newest = rows('SELECT account_id, max(id) AS id, count(*) AS kept, logged FROM requests GROUP BY account_id')
    for (const { account_id, id, kept, logged } of newest) {
      const account = this.#of(Number(account_id ?? noAccount))
      account.kept = Number(kept)
      if (Number(id) > account.newest) account.logged = Number(logged)
    }
    const charged = rows(
      'SELECT account_id, max(id) AS id, charge FROM requests WHERE charge IS NOT NULL GROUP BY account_id',
    )
    for (const { account_id, id, charge } of charged) {
      const account = this.#of(Number(account_id ?? noAccount))
      if (Number(id) > account.newest) account.charge = parsedRow(charge, 'requests', id as number)
    }
    for (const { account_id, id } of newest) {
      const account = this.#of(Number(account_id ?? noAccount))
      account.newest = Math.max(account.newest, Number(id))
    }
    const [sums] = rows('SELECT count(*) AS kept, total(bytes) AS bytes, ifnull(max(id), 0) AS last FROM requests')
    this.#kept = Number(sums?.['kept'])
    this.#bytes = Number(sums?.['bytes'])
    this.#last = Math.max(Number(sums?.['last']), ...[...this.#accounts.values()].map(({ newest: id }) => id))
    this.#logged = [...this.#accounts.values()].reduce((sum, { logged }) => sum + logged, 0)
    this.#entries()
  }

  #of(accountId: number): AccountLog {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const account = { charge: {}, logged: 0, kept: 0, newest: 0 }
    this.#accounts.set(accountId, account)
    return account
  }

  append(request: RequestRecord): void {
    this.#add(request)
    for (const notify of this.#followers.keys()) notify(request)
  }

  #add(request: RequestRecord): void {
    const id = this.#accountOf(request)
    const account = this.#of(id)
    this.#last += 1
    account.logged += 1
    account.kept += 1
    account.newest = this.#last
    this.#kept += 1
    this.#logged += 1
    const { accountId, at, method, endpoint, status, cost, clientIp, keyIn, headers, ...others } = request
    const rest = hasFields(others) ? JSON.stringify(others) : null
    const bytes = rowBytes + method.length + endpoint.length + clientIp.length + headers.length + (rest?.length ?? 0)
    this.#bytes += bytes
    const charge = this.#unsaved.delete(id) ? JSON.stringify(account.charge) : null
    this.#list?.set(this.#last, request)
    this.#turns.note(() => {
      this.#insert.run(
        this.#last,
        accountId,
        at,
        method,
        endpoint,
        status,
        cost,
        clientIp,
        keyIn,
        account.logged,
        bytes,
        charge,
        rest,
        headers,
      )
      while (this.#kept > 1 && (this.#kept > this.#limits.maxKept || this.#bytes > this.#limits.maxBytes))
        this.#dropOldest()
    })
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

  #accountOf({ accountId }: Pick<RequestRecord, 'accountId'>): number {
    return accountId ?? noAccount
  }

  #dropOldest(): void {
    const { id, account_id, bytes } = this.#oldest.get() ?? {}
    this.#take(Number(id), Number(account_id ?? noAccount), Number(bytes))
  }

  #take(id: number, accountId: number, bytes: number): void {
    this.#delete.run(id)
    this.#list?.delete(id)
    this.#kept -= 1
    this.#bytes -= bytes
    const account = this.#of(accountId)
    account.kept -= 1
    // Its row was the one that told the charge and the count.
    if (account.newest === id) this.#save(accountId)
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
    return this.#accounts.get(accountId)?.charge ?? neverCharged
  }

  setCharge(accountId: number, charge: QuotaState): void {
    this.#of(accountId).charge = charge
    this.#unsaved.add(accountId)
    this.#turns.note(() => {})
  }

  /** Oldest first, within the {@link LogLimits}. */
  all(): readonly RequestRecord[] {
    return [...this.#entries().values()]
  }

  #entries(): Map<number, RequestRecord> {
    const read = () => this.#database.prepare('SELECT * FROM requests ORDER BY id').all()
    this.#list ??= new Map(read().map((row) => [Number(row['id']), requestOf(row)]))
    return this.#list
  }

  ofAccount(accountId: number): readonly RequestRecord[] {
    return this.all().filter((request) => request.accountId === accountId)
  }

  lastOf(accountId: number): RequestRecord | undefined {
    return this.all().findLast((request) => request.accountId === accountId)
  }

  kept(): number {
    return this.#kept
  }

  /** How many requests were dropped for lack of room. */
  dropped(): number {
    return this.#logged - this.#kept
  }

  /** How many requests of an account were logged, including dropped ones. */
  count(accountId: number): number {
    return this.#accounts.get(accountId)?.logged ?? 0
  }

  /** Deletes requests as if they had not been made, and returns how many. */
  remove(matches: (request: RequestRecord) => boolean): number {
    const gone = [...this.#entries()].filter(([, request]) => matches(request))
    this.#turns.batch('ordinary', () => {
      const sizeOf = this.#database.prepare('SELECT bytes FROM requests WHERE id = ?')
      const touched = new Set<number>()
      for (const [id, request] of gone) {
        const accountId = this.#accountOf(request)
        this.#of(accountId).logged -= 1
        this.#logged -= 1
        this.#take(id, accountId, Number(sizeOf.get(id)?.['bytes']))
        touched.add(accountId)
      }
      for (const accountId of touched) this.#save(accountId)
    })
    return gone.length
  }

  droppedByAccount(): readonly DroppedRequests[] {
    return [...this.#accounts]
      .map(([id, { logged, kept }]) => ({ accountId: id === noAccount ? null : id, count: logged - kept }))
      .filter(({ count }) => count > 0)
  }

  /** Replaces all of it; within a transaction. @param charges by account */
  load(dump: Pick<RecordDump, 'requests' | 'droppedRequests'>, charges: ReadonlyMap<number, QuotaState>): void {
    this.#database.exec('DELETE FROM requests; DELETE FROM charges')
    this.reload()
    for (const { accountId, count } of dump.droppedRequests) {
      this.#of(accountId ?? noAccount).logged = count
      this.#logged += count
      this.#save(accountId ?? noAccount)
    }
    for (const request of dump.requests) this.#add(request)
    for (const [accountId, charge] of charges) {
      this.#of(accountId).charge = charge
      this.#save(accountId)
    }
  }
}

const neverCharged: QuotaState = {}

/** Bytes of a row besides its texts. */
const rowBytes = 120

function hasFields(others: object): boolean {
  for (const name in others) if (Reflect.get(others, name) !== undefined) return true
  return false
}

function requestOf(row: Row): RequestRecord {
  const { id, account_id, at, method, endpoint, status, cost, client_ip, key_in, rest = null, headers } = row
  const plain = {
    method,
    endpoint,
    status,
    clientIp: client_ip,
    at,
    cost,
    accountId: account_id,
    keyIn: key_in,
    headers,
  }
  return { ...plain, ...(rest !== null && parsedRow(rest, 'requests', id)) } as unknown as RequestRecord
}
