import type { Clock } from '../clock.ts'
import type { RunId } from './runs.ts'
import type { UploadFile } from './upload-file.ts'
import type { Row } from './upload-rows.ts'
import type { Account, Holder } from './upload-store.ts'
import { accountIn } from './upload-tables.ts'

/** The rows of accounts and of their runs. Each call belongs to a transaction of its caller. */
export class AccountRows {
  readonly #file: UploadFile
  readonly #account: Account
  readonly #clock: Clock

  constructor(file: UploadFile, account: Account, clock: Clock) {
    this.#file = file
    this.#account = account
    this.#clock = clock
  }

  /** 0 for an account that is not there. */
  id(): number {
    const { address, keyHash } = this.#account
    const row = this.#file.sql('SELECT id FROM account WHERE address = ? AND key_hash = ?').get(address, keyHash)
    return Number(row?.['id'] ?? 0)
  }

  ownId(): number {
    const { address, keyHash } = this.#account
    return this.id() || accountIn(this.#file.database, { address, key_hash: keyHash })
  }

  mayAdopt(): boolean {
    const has = (account: number) => this.#hasAny(account)
    return !has(this.id()) && this.#others().some(has)
  }

  adopt(slugs: readonly string[]): void {
    const find = this.#file.sql('SELECT 1 FROM upload WHERE account = ? AND slug = ?')
    const other = this.#others().find((account) => slugs.some((slug) => find.get(account, slug)))
    if (other === undefined) return
    const own = this.ownId()
    this.#file.sql('UPDATE OR REPLACE upload SET account = ? WHERE account = ?').run(own, other)
    this.#file.sql('UPDATE OR IGNORE item SET account = ? WHERE account = ?').run(own, other)
  }

  /** Forgets what no run at work has. @returns those runs; undefined where the account was not there */
  forget(): readonly Holder[] | undefined {
    const account = this.id()
    if (account === 0) return undefined
    const items = this.#file.sql('SELECT run, path FROM item WHERE account = ? AND run IS NOT NULL').all(account)
    const atWork = new Map(items.filter(({ run }) => this.#file.lives(String(run))).map((row) => [row['run'], row]))
    this.#file.sql('DELETE FROM leaving WHERE account = ?').run(account)
    const mark = this.#file.sql('INSERT INTO leaving VALUES (?, ?)')
    for (const run of atWork.keys()) mark.run(account, run ?? '')
    const leaving = '(SELECT run FROM leaving WHERE account = ?)'
    for (const table of ['item', 'upload']) {
      const others = `account = ? AND (run IS NULL OR run NOT IN ${leaving})`
      this.#file.sql(`DELETE FROM ${table} WHERE ${others}`).run(account, account)
    }
    if (atWork.size === 0) this.#file.sql('DELETE FROM account WHERE id = ?').run(account)
    return [...atWork.values()].flatMap((row) => this.holder(row) ?? [])
  }

  /** Forgets what runs have of accounts that are to be forgotten, where all are over. @param run this one, which is over now */
  forgetLeft(run: RunId): void {
    const others = this.#file.sql('SELECT name FROM run WHERE name <> ?').all(run)
    // One of them may wait for what is to be forgotten.
    if (others.some(({ name }) => this.#file.lives(String(name)))) return
    for (const { account = 0, run: other } of this.#file.sql('SELECT * FROM leaving').all()) {
      const name = String(other)
      for (const table of ['item', 'upload']) {
        this.#file.sql(`DELETE FROM ${table} WHERE account = ? AND (run = ? OR run IS NULL)`).run(account, name)
      }
      this.#file.sql('DELETE FROM leaving WHERE account = ? AND run = ?').run(account, name)
      if (!this.#hasAny(Number(account))) this.#file.sql('DELETE FROM account WHERE id = ?').run(account)
    }
  }

  /** Who a run is, before it claims anything. */
  nameRun(run: RunId): void {
    if (this.#file.sql('SELECT 1 FROM run WHERE name = ?').get(run)) return
    this.#file.sql('INSERT INTO run VALUES (?, ?, ?)').run(run, process.pid, this.#clock.now())
  }

  holder({ run, path }: Row): Holder | undefined {
    const row = this.#file.sql('SELECT * FROM run WHERE name = ?').get(String(run))
    if (row === undefined) return undefined
    const isOwn = run === this.#file.run
    return { pid: Number(row['pid']), since: Number(row['since']), path: String(path ?? ''), isOwn }
  }

  /** Whether something is recorded of an account. */
  #hasAny(account: number): boolean {
    const either = 'SELECT 1 FROM upload WHERE account = ? UNION ALL SELECT 1 FROM item WHERE account = ?'
    return this.#file.sql(either).get(account, account) !== undefined
  }

  /** Other keys of the address. */
  #others(): readonly number[] {
    const rows = this.#file.sql('SELECT id FROM account WHERE address = ?').all(this.#account.address)
    return rows.map(({ id }) => Number(id)).filter((id) => id !== this.id())
  }
}
