import type { AlbumRecord } from './records.ts'

/**
 * Albums, few enough to search them all. An album refers to uploads of its account; the code that removes an upload also
 * takes it out of its albums.
 * @param albums a plain map or one of the database
 */
export function createMapAlbums(albums: Map<number, AlbumRecord>, nextId: () => number) {
  const some = (isWanted: (album: AlbumRecord) => boolean): readonly AlbumRecord[] =>
    albums.size === 0 ? [] : [...albums.values()].filter(isWanted)
  const ofAccount = (id: number) => some(({ accountId }) => accountId === id)
  return {
    insert(album: Omit<AlbumRecord, 'id'>): AlbumRecord {
      const record = { id: nextId(), ...album }
      albums.set(record.id, record)
      return record
    },
    get: (id: number) => albums.get(id),
    /** In order of id. */
    ofAccount,
    count: (accountId: number) => ofAccount(accountId).length,
    /** The albums that have this upload. */
    withUpload: (slug: string) => some(({ uploads }) => uploads.includes(slug)),
    update(id: number, changes: Partial<Pick<AlbumRecord, 'name' | 'uploads'>>): AlbumRecord | undefined {
      const album = albums.get(id)
      if (album === undefined) return undefined
      const record = { ...album, ...changes }
      albums.set(id, record)
      return record
    },
    remove(id: number): AlbumRecord | undefined {
      const album = albums.get(id)
      if (album !== undefined) albums.delete(id)
      return album
    },
  }
}
