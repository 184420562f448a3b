import type { Commits, WriteKind } from './commits.ts'
import { readRows, type TableRows } from './row-reader.ts'
import type { SqlDatabase, SqlValue } from './sql-database.ts'

export interface SqliteContext {
  readonly database: SqlDatabase
  readonly commits: Commits
}

export interface StoredTable<Value> extends TableRows {
  /** The other columns, in the order of {@link StoredTable.write}. */
  readonly columns: readonly string[]
  write(value: Value): readonly SqlValue[]
  /** How durable a change has to be: all of them, or an addition, an update and a removal. Default: `minor`. */
  readonly change?: WriteKind | readonly [added: WriteKind, updated: WriteKind, removed: WriteKind]
  /**
   * Whether changes of an undone turn are written with the next commit instead of being undone in memory too. In a turn
   * without other changes they need no table yet.
   */
  readonly isRepeated?: boolean
}

/** A statement costs as much as two or three of its rows. */
const rowsAtOnce = 32

/** A table whose values are JSON in one column. */
export function jsonTable<Value>(
  table: string,
  key: string,
  json: string,
  type: TableRows['type'],
  options: Pick<StoredTable<Value>, 'change' | 'isRepeated'> = {},
): StoredTable<Value> {
  return {
    table,
    key,
    json,
    type,
    columns: [json],
    write: (value) => [JSON.stringify(value)],
    ...options,
  }
}

/** A table, read once and then held in memory; the rows that changed are written with the commit of their turn. */
export class StoredMap<Key extends string | number, Value> extends Map<Key, Value> {
  /** Since the table was written. */
  readonly #changed = new Set<Key>()
  /** Since the latest commit. */
  readonly #changedNow = new Set<Key>()
  /** What was there before all rows go, which they do before those that changed are written. */
  #cleared: ReadonlyMap<Key, Value> | undefined
  readonly #isRepeated: boolean
  readonly #begin: (kind: 'added' | 'updated' | 'removed' | 'cleared') => void

  constructor({ database, commits }: SqliteContext, definition: StoredTable<Value>) {
    super()
    const { table, key, type, columns, change = 'minor', isRepeated = false } = definition
    const names = [key, ...columns].join(', ')
    this.#isRepeated = isRepeated
    const row = `(?${', ?'.repeat(columns.length)})`
    const putRow = database.prepare(`REPLACE INTO ${table} (${names}) VALUES ${row}`)
    const putRows = database.prepare(
      `REPLACE INTO ${table} (${names}) VALUES ${row}${`, ${row}`.repeat(rowsAtOnce - 1)}`,
    )
    const deleteRow = database.prepare(`DELETE FROM ${table} WHERE ${key} = ?`)
    const deleteAll = database.prepare(`DELETE FROM ${table}`)
    const [added, updated, removed] = typeof change === 'string' ? [change, change, change] : change
    // A row of a turn has keys with their values, and no key for all.
    const kinds = { added, updated, removed, cleared: removed === 'minor' ? 'ordinary' : removed } as const
    const forget = (isInTables: boolean) => {
      // Clearing a set makes a new one, even of an empty one.
      if (this.#changedNow.size > 0) this.#changedNow.clear()
      if (!isInTables) return
      if (this.#changed.size > 0) this.#changed.clear()
      this.#cleared = undefined
    }
    const put = (found: Key, value: Value) => void super.set(found, value)
    const read = () => {
      super.clear()
      readRows(database, definition, put)
      forget(true)
    }
    this.#begin = (kind) => commits.begin(kinds[kind])
    read()

    commits.onCommit(() => {
      if (this.#cleared !== undefined) deleteAll.run()
      let rows: SqlValue[][] = []
      for (const changed of this.#changed) {
        const value = this.get(changed)
        if (value === undefined) deleteRow.run(changed)
        else rows.push([changed, ...definition.write(value)])
        if (rows.length < rowsAtOnce) continue
        putRows.run(...rows.flat())
        rows = []
      }
      for (const values of rows) putRow.run(...values)
    })
    commits.onCommitted(forget)
    commits.onUndone(() => {
      if (!isRepeated && (this.#changed.size > 0 || this.#cleared !== undefined)) read()
      if (this.#cleared === undefined) return
      super.clear()
      for (const [found, value] of this.#cleared) put(found, value)
      this.#cleared = undefined
    })
    if (isRepeated)
      commits.join(table, {
        changes: () => Array.from(this.#changedNow, (changed) => [changed, this.get(changed)]),
        // Null where it was deleted.
        isSound: (found) => Array.isArray(found) && (found[1] === null || type.isSound(found[1])),
        repeat: (changes) => {
          for (const [changed, value] of changes as readonly (readonly [Key, Value | null])[]) {
            this.#changed.add(changed)
            if (value === null) super.delete(changed)
            else super.set(changed, value)
          }
        },
      })
  }

  /** The keys of changes that no commit has written yet. */
  unwritten = (): readonly Key[] => [...this.#changedNow]

  #note(key: Key) {
    this.#changed.add(key)
    this.#changedNow.add(key)
  }

  override set(key: Key, value: Value): this {
    this.#begin(this.has(key) ? 'updated' : 'added')
    this.#note(key)
    return super.set(key, value)
  }

  override delete(key: Key): boolean {
    this.#begin('removed')
    this.#note(key)
    return super.delete(key)
  }

  override clear(): void {
    if (this.size === 0) return
    this.#begin('cleared')
    this.#cleared ??= new Map(this.#isRepeated ? this : [])
    super.clear()
  }
}
