import type { DatabaseSync } from 'node:sqlite'
import type { AccountChanges, AccountRecord, RecordDump, SessionRecord } from './record-types.ts'
import { type LogLimits, RequestLog, requestsSchema } from './request-log.ts'
import { finderIn } from './rows.ts'
import type { Turns } from './turn.ts'
import { UploadsTable, uploadsSchema } from './uploads-table.ts'

/** A record is JSON, so that a new field needs no new version; columns beside it are for look-ups. */
export const schema = `
CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, key_hash TEXT NOT NULL, record TEXT NOT NULL) STRICT;
CREATE INDEX accounts_key ON accounts (key_hash);
CREATE TABLE sessions (id TEXT PRIMARY KEY, account_id INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
CREATE TABLE notes (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
${uploadsSchema}
${requestsSchema}`

/**
 * Everything except file bytes. Every call is synchronous, so that steps that belong together (checking and charging a
 * quota, adding and counting an upload) need no lock. Changes made without awaiting in between become durable together
 * or not at all, such as an upload and its log entry. Clients learn of a change only after {@link RecordStore.flushed}.
 */
export class RecordStore {
  readonly #database: DatabaseSync
  readonly #turns: Turns
  readonly accounts
  readonly uploads
  readonly requests
  readonly sessions
  /** The emulator's own data that survives a restart, JSON values by name; not part of a dump. */
  readonly notes
  /**
   * The first account's key, which is shown at every start: the developer's own, and no secret. Of others only hashes are
   * stored (spec 1).
   */
  readonly firstKey = {
    get: () => this.notes.get('first_key') as string | undefined,
    set: (key: string) => this.notes.set('first_key', key),
  }

  constructor(database: DatabaseSync, turns: Turns, limits?: LogLimits) {
    this.#database = database
    this.#turns = turns
    this.accounts = createAccounts(database, turns)
    this.uploads = new UploadsTable(database, turns)
    this.requests = new RequestLog(database, turns, limits)
    this.sessions = createSessions(database, turns)
    this.notes = createNotes(database, turns)
    turns.onCommit = () => this.requests.saveUsage()
    turns.onUndone = () => this.#reload()
  }

  /** Reads again what is held in memory. */
  #reload(): void {
    this.accounts.forget()
    this.uploads.forget()
    this.requests.reload()
  }

  /** A copy of all records. */
  dump(): RecordDump {
    const lastIds = this.#database.prepare('SELECT name, seq FROM sqlite_sequence').all()
    const lastIdOf = (table: string) => Number(lastIds.find(({ name }) => name === table)?.['seq'] ?? 0)
    const accounts = this.accounts.all()
    const quotas = accounts.map(({ id, keyHash }) => ({ keyHash, state: this.requests.chargeOf(id) }))
    return {
      accounts,
      uploads: this.uploads.all(),
      requests: this.requests.select(),
      droppedRequests: this.requests.droppedByAccount(),
      quotas: quotas.filter(({ state }) => Object.keys(state).length > 0),
      sessions: this.sessions.all().toSorted((one, other) => (one.idHash < other.idHash ? -1 : 1)),
      lastIds: { account: lastIdOf('accounts'), upload: lastIdOf('uploads'), request: this.requests.state().last },
    }
  }

  /** Replaces all records by a dump; ids continue after the highest the dump's store ever assigned. */
  load(dump: RecordDump): void {
    this.#turns.write('lasting', () => {
      const tables = ['accounts', 'uploads', 'totals', 'sessions', 'requests', 'usage', 'sqlite_sequence']
      this.#database.exec(tables.map((table) => `DELETE FROM ${table};`).join(''))
      this.#reload()
      for (const account of dump.accounts) this.accounts.put(account)
      for (const upload of dump.uploads) this.uploads.insert(upload)
      for (const session of dump.sessions) this.sessions.set(session)
      const idOf = new Map(dump.accounts.map(({ id, keyHash }) => [keyHash, id]))
      this.requests.load(dump)
      for (const { keyHash, state } of dump.quotas) {
        const id = idOf.get(keyHash)
        if (id !== undefined) this.requests.setCharge(id, state)
      }
      const setLastId = this.#database.prepare('REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES (?, ?, ?)')
      setLastId.run(1, 'accounts', dump.lastIds.account)
      setLastId.run(2, 'uploads', dump.lastIds.upload)
    })
  }

  /** See {@link Turns.flushed}. */
  flushed(since?: number): Promise<void> | undefined {
    return this.#turns.flushed(since)
  }

  /** The current position, for {@link RecordStore.flushed}. */
  mark(): number {
    return this.#turns.mark()
  }
}

/** So many of the latest keys are looked up without the database. */
const mostKeys = 1_000

function createAccounts(database: DatabaseSync, turns: Turns) {
  const { one, many } = finderIn<AccountRecord>(database, 'accounts')
  const next = database.prepare("SELECT ifnull(max(seq), 0) + 1 AS id FROM sqlite_sequence WHERE name = 'accounts'")
  const write = database.prepare(`INSERT INTO accounts VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET key_hash = excluded.key_hash, record = excluded.record`)
  const remove = database.prepare('DELETE FROM accounts WHERE id = ?')
  const get = one('WHERE id = ?')
  const byKey = one('WHERE key_hash = ? ORDER BY id DESC LIMIT 1')
  /** Every request looks for the account of its key. */
  const known = new Map<string, AccountRecord | undefined>()
  const put = (account: AccountRecord): AccountRecord => {
    known.clear()
    turns.write('lasting', () => write.run(account.id, account.keyHash, JSON.stringify(account)))
    return account
  }
  return {
    insert: (account: Omit<AccountRecord, 'id'>) => put({ id: Number(next.get()?.['id']), ...account }),
    /** With its id, as a dump has it. */
    put,
    get,
    findByKeyHash(keyHash: string): AccountRecord | undefined {
      if (known.has(keyHash)) return known.get(keyHash)
      if (known.size >= mostKeys) known.clear()
      const account = byKey(keyHash)
      known.set(keyHash, account)
      return account
    },
    /** In order of id. */
    all: many('ORDER BY id'),
    update(id: number, changes: AccountChanges): AccountRecord | undefined {
      const account = get(id)
      return account && put({ ...account, ...changes })
    },
    remove(id: number): AccountRecord | undefined {
      const account = get(id)
      known.clear()
      if (account !== undefined) turns.write('lasting', () => remove.run(id))
      return account
    },
    /** Call when the table was changed from elsewhere. */
    forget: () => known.clear(),
  }
}

function createSessions(database: DatabaseSync, turns: Turns) {
  const { one, many } = finderIn<SessionRecord>(database, 'sessions')
  const write = database.prepare('REPLACE INTO sessions VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?')
  return {
    get: one('WHERE id = ?'),
    /** The oldest first, like those of an account. */
    all: many('ORDER BY rowid'),
    ofAccount: many('WHERE account_id = ? ORDER BY rowid'),
    set(session: SessionRecord) {
      turns.write('lasting', () => write.run(session.idHash, session.accountId, JSON.stringify(session)))
    },
    delete(idHash: string) {
      turns.write('lasting', () => remove.run(idHash))
    },
  }
}

function createNotes(database: DatabaseSync, turns: Turns) {
  const write = database.prepare('REPLACE INTO notes VALUES (?, ?)')
  return {
    get: finderIn<unknown>(database, 'notes').one('WHERE id = ?'),
    set(name: string, value: unknown) {
      turns.write('ordinary', () => write.run(name, JSON.stringify(value)))
    },
  }
}
