import type { Commits, WriteKind } from './commits.ts'
import type { SqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

export interface SqliteContext {
  readonly database: SqlDatabase
  readonly commits: Commits
}

export interface StoredTable<Value> {
  readonly table: string
  readonly key: string
  /** The other columns, in the order of {@link StoredTable.write}. */
  readonly columns: readonly string[]
  write(value: Value): readonly SqlValue[]
  read(row: SqlRow): Value
  /** How durable a change has to be. Default: `minor`, or as the write that it belongs to. */
  readonly change?: WriteKind
  /** Whether changes of an undone turn are written with the next commit instead of being undone in memory too. */
  readonly isRepeated?: boolean
}

/** A table whose values are JSON in one column. */
export function jsonTable<Value>(
  table: string,
  key: string,
  column: string,
  options: Pick<StoredTable<Value>, 'change' | 'isRepeated'> = {},
): StoredTable<Value> {
  return {
    table,
    key,
    columns: [column],
    write: (value) => [JSON.stringify(value)],
    read: (row) => JSON.parse(String(row[column])),
    ...options,
  }
}

/** A small table, read once and then held in memory; the rows that changed are written with the commit of their turn. */
export class StoredMap<Key extends string | number, Value> extends Map<Key, Value> {
  readonly #changed = new Set<Key>()
  readonly #beforeChange: () => void

  constructor({ database, commits }: SqliteContext, definition: StoredTable<Value>) {
    super()
    const { table, key, columns, change = 'minor', isRepeated = false } = definition
    const names = [key, ...columns].join(', ')
    const put = database.prepare(`REPLACE INTO ${table} (${names}) VALUES (?${', ?'.repeat(columns.length)})`)
    const deleteRow = database.prepare(`DELETE FROM ${table} WHERE ${key} = ?`)
    const all = database.prepare(`SELECT ${names} FROM ${table} ORDER BY ${key}`)
    const read = () => {
      super.clear()
      for (const row of all.all()) super.set(row[key] as Key, definition.read(row))
      this.#changed.clear()
    }
    this.#beforeChange = () => commits.begin(change)
    read()

    commits.onCommit(() => {
      for (const changed of this.#changed) {
        const value = this.get(changed)
        if (value === undefined) deleteRow.run(changed)
        else put.run(changed, ...definition.write(value))
      }
    })
    commits.onCommitted(() => this.#changed.clear())
    if (!isRepeated) commits.onUndone(read)
  }

  override set(key: Key, value: Value): this {
    this.#beforeChange()
    this.#changed.add(key)
    return super.set(key, value)
  }

  override delete(key: Key): boolean {
    this.#beforeChange()
    this.#changed.add(key)
    return super.delete(key)
  }

  override clear(): void {
    for (const key of [...this.keys()]) this.delete(key)
  }
}
