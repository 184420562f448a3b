import type { AlbumRecord } from './records.ts'

/**
 * Albums, found by account and by upload without a search. An album refers to uploads of its account; the code that removes
 * an upload also takes it out of its albums.
 * @param albums a plain map or one of the database
 */
export function createMapAlbums(albums: Map<number, AlbumRecord>, nextId: () => number) {
  const byAccount = createIndex<number>()
  const byUpload = createIndex<string>()

  const enter = ({ id, accountId, uploads }: AlbumRecord) => {
    byAccount.add(accountId, id)
    for (const slug of uploads) byUpload.add(slug, id)
  }
  const leave = ({ id, accountId, uploads }: AlbumRecord) => {
    byAccount.remove(accountId, id)
    for (const slug of uploads) byUpload.remove(slug, id)
  }
  const found = (ids: Iterable<number>) => Array.from(ids).flatMap((id) => albums.get(id) ?? [])
  const index = () => {
    byAccount.clear()
    byUpload.clear()
    for (const album of albums.values()) enter(album)
  }
  index()

  return {
    insert(album: Omit<AlbumRecord, 'id'>): AlbumRecord {
      const record = { id: nextId(), ...album }
      albums.set(record.id, record)
      enter(record)
      return record
    },
    get: (id: number) => albums.get(id),
    /** In order of id. */
    ofAccount: (accountId: number): readonly AlbumRecord[] =>
      found(byAccount.of(accountId)).sort((one, other) => one.id - other.id),
    count: (accountId: number) => byAccount.of(accountId).size,
    /** The albums that have this upload, in any order. */
    withUpload: (slug: string): readonly AlbumRecord[] => found(byUpload.of(slug)),
    update(id: number, changes: Partial<Pick<AlbumRecord, 'name' | 'uploads'>>): AlbumRecord | undefined {
      const old = albums.get(id)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      albums.set(id, record)
      leave(old)
      enter(record)
      return record
    },
    remove(id: number): AlbumRecord | undefined {
      const album = albums.get(id)
      if (album === undefined) return undefined
      albums.delete(id)
      leave(album)
      return album
    },
    index,
  }
}

const none: ReadonlySet<number> = new Set()

/** Ids of albums by something that several may share. */
function createIndex<Key>() {
  const ids = new Map<Key, Set<number>>()
  return {
    of: (key: Key): ReadonlySet<number> => ids.get(key) ?? none,
    add(key: Key, id: number): void {
      const known = ids.get(key)
      if (known === undefined) ids.set(key, new Set([id]))
      else known.add(id)
    },
    remove(key: Key, id: number): void {
      const known = ids.get(key)
      known?.delete(id)
      if (known?.size === 0) ids.delete(key)
    },
    clear: (): void => ids.clear(),
  }
}
