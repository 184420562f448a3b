import type { AccountChanges, AccountRecord, RecordDump, SessionRecord } from './record-types.ts'
import { type LogLimits, RequestLog, requestsSchema } from './request-log.ts'
import type { Database, Row } from './turn.ts'
import { UploadsTable, uploadsSchema } from './uploads-table.ts'

/** A `record` is JSON, so that a new field needs no new version; columns beside it are for look-ups. */
export const schema = `
CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, keyHash TEXT NOT NULL, record TEXT NOT NULL) STRICT;
CREATE INDEX accountsByKey ON accounts (keyHash);
CREATE TABLE notes (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
${uploadsSchema}
${requestsSchema}`

const recordOf = <Value>(row: Row | undefined): Value | undefined => row && JSON.parse(String(row['record']))
const recordsOf = <Value>(rows: readonly Row[]): readonly Value[] =>
  rows.map((row) => JSON.parse(String(row['record'])))

/**
 * Everything except file bytes. Every call is synchronous, so that steps that belong together (checking and charging a
 * quota, adding and counting an upload) need no lock. Changes made without awaiting in between become durable together
 * or not at all, such as an upload and its log entry. Clients learn of a change only after {@link Database.flushed}.
 */
export class RecordStore {
  /** When what was written is kept. */
  readonly turns: Pick<Database, 'mark' | 'flushed' | 'afterTurn'>
  readonly #database: Database
  readonly accounts
  readonly uploads
  readonly requests
  /** The emulator's own data that survives a restart, JSON values by name; of a dump only the sessions are part. */
  readonly notes
  /**
   * The first account's key, which is shown at every start: the developer's own, and no secret. Of others only hashes are
   * stored (spec 1).
   */
  readonly firstKey = {
    get: () => this.notes.get('first_key') as string | undefined,
    set: (key: string) => this.notes.set('first_key', key),
  }

  /** Browsers that are signed in: few, and changed as a whole. */
  readonly sessions = {
    all: () => (this.notes.get('sessions') ?? []) as readonly SessionRecord[],
    replace: (sessions: readonly SessionRecord[]) => this.notes.set('sessions', sessions),
  }

  constructor(database: Database, limits?: LogLimits) {
    this.turns = database
    this.#database = database
    this.accounts = new AccountsTable(database)
    this.uploads = new UploadsTable(database)
    this.requests = new RequestLog(database, limits)
    this.notes = createNotes(database)
    database.onUndone = () => this.#reload()
  }

  /** Reads again what is held in memory. */
  #reload(): void {
    this.accounts.forget()
    this.uploads.forget()
    this.requests.reload()
  }

  /** A copy of all records. */
  dump(): RecordDump {
    const accounts = this.accounts.all()
    const quotas = accounts.map(({ id, keyHash }) => ({ keyHash, state: this.requests.chargeOf(id) }))
    return {
      accounts,
      uploads: this.uploads.all(),
      requests: this.requests.select(),
      droppedRequests: this.requests.droppedByAccount(),
      quotas: quotas.filter(({ state }) => Object.keys(state).length > 0),
      sessions: this.sessions.all().toSorted((one, other) => (one.idHash < other.idHash ? -1 : 1)),
      lastIds: {
        account: lastIdOf(this.#database, 'accounts'),
        upload: lastIdOf(this.#database, 'uploads'),
        request: this.requests.state().last,
      },
    }
  }

  /** Replaces all records by a dump; ids continue after the highest the dump's store ever assigned. */
  load(dump: RecordDump): void {
    for (const table of ['accounts', 'uploads', 'totals', 'requests', 'usage', 'sqlite_sequence']) {
      this.#database.writeLasting(`DELETE FROM ${table}`)
    }
    this.#reload()
    for (const account of dump.accounts) this.accounts.put(account)
    for (const upload of dump.uploads) this.uploads.insert(upload)
    this.sessions.replace(dump.sessions)
    this.requests.load(dump)
    const idOf = new Map(dump.accounts.map(({ id, keyHash }) => [keyHash, id]))
    for (const { keyHash, state } of dump.quotas) {
      const id = idOf.get(keyHash)
      if (id !== undefined) this.requests.setCharge(id, state)
    }
    const setLastId = 'REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES (?, ?, ?)'
    this.#database.write(setLastId, 1, 'accounts', dump.lastIds.account)
    this.#database.write(setLastId, 2, 'uploads', dump.lastIds.upload)
  }
}

/** The highest id that a table ever assigned. */
function lastIdOf(database: Database, table: string): number {
  return Number(database.get('SELECT seq FROM sqlite_sequence WHERE name = ?', table)?.['seq'] ?? 0)
}

/** So many of the latest keys are looked up without the database. */
const mostKeys = 1_000

class AccountsTable {
  readonly #database: Database
  /** Every request looks for the account of its key. */
  readonly #known = new Map<string, AccountRecord | undefined>()

  constructor(database: Database) {
    this.#database = database
  }

  insert(account: Omit<AccountRecord, 'id'>): AccountRecord {
    return this.put({ id: lastIdOf(this.#database, 'accounts') + 1, ...account })
  }

  /** With its id, as a dump has it. */
  put(account: AccountRecord): AccountRecord {
    this.forget()
    const { id, keyHash } = account
    const change = 'ON CONFLICT DO UPDATE SET keyHash = excluded.keyHash, record = excluded.record'
    this.#database.writeLasting(`INSERT INTO accounts VALUES (?, ?, ?) ${change}`, id, keyHash, JSON.stringify(account))
    return account
  }

  get(id: number): AccountRecord | undefined {
    return recordOf(this.#database.get('SELECT record FROM accounts WHERE id = ?', id))
  }

  findByKeyHash(keyHash: string): AccountRecord | undefined {
    if (this.#known.has(keyHash)) return this.#known.get(keyHash)
    const byKey = 'SELECT record FROM accounts WHERE keyHash = ? ORDER BY id DESC LIMIT 1'
    const account = recordOf<AccountRecord>(this.#database.get(byKey, keyHash))
    if (this.#known.size >= mostKeys) this.forget()
    this.#known.set(keyHash, account)
    return account
  }

  /** In order of id. */
  all(): readonly AccountRecord[] {
    return recordsOf(this.#database.all('SELECT record FROM accounts ORDER BY id'))
  }

  update(id: number, changes: AccountChanges): AccountRecord | undefined {
    const account = this.get(id)
    return account && this.put({ ...account, ...changes })
  }

  remove(id: number): AccountRecord | undefined {
    const account = this.get(id)
    this.forget()
    if (account !== undefined) this.#database.writeLasting('DELETE FROM accounts WHERE id = ?', id)
    return account
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#known.clear()
  }
}

function createNotes(database: Database) {
  return {
    get: (name: string) => recordOf(database.get('SELECT record FROM notes WHERE id = ?', name)),
    set(name: string, value: unknown) {
      database.writeLasting('REPLACE INTO notes VALUES (?, ?)', name, JSON.stringify(value))
    },
  }
}
