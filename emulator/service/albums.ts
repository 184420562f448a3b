import { invalidValue } from '../../src/checks/coded-error.ts'
import { type AlbumRecord, mostAlbums } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'
import { MissingRecordError, type Result, refused, succeeded } from './refusal.ts'
import { reviewText, type TextProblem } from './written-text.ts'

/** The most characters of an album's name. */
export const maxAlbumName = 100

/** The most uploads of an album. */
export const mostUploadsOfAlbum = 10_000

export type AlbumProblem =
  | TextProblem
  | { readonly kind: 'no-such-album' | 'too-many-albums' | 'too-many-uploads' }
  /** The account has no such upload. */
  | { readonly kind: 'upload-not-found'; readonly slug: string }

/** The albums of all accounts; each call acts only on those of its account. */
export function createAlbums({ accounts, albums, uploads }: RecordStore) {
  const find = (accountId: number, id: number) => {
    const album = albums.get(id)
    return album?.accountId === accountId ? album : undefined
  }
  const change = (
    accountId: number,
    id: number,
    to: (album: AlbumRecord) => Result<Partial<Pick<AlbumRecord, 'name' | 'uploads'>>, AlbumProblem>,
  ): Result<AlbumRecord, AlbumProblem> => {
    const album = find(accountId, id)
    if (album === undefined) return refused({ kind: 'no-such-album' })
    const changes = to(album)
    return changes.ok ? succeeded(albums.update(id, changes.value) ?? album) : changes
  }
  const isOwn = (accountId: number) => (slug: string) => uploads.findBySlug(slug)?.accountId === accountId

  return {
    /** In order of their making. */
    of: (accountId: number): readonly AlbumRecord[] => albums.ofAccount(accountId),
    count: (accountId: number) => albums.count(accountId),
    find,
    create(accountId: number, name: string): Result<AlbumRecord, AlbumProblem> {
      const reviewed = reviewText(name, maxAlbumName)
      if (!reviewed.ok) return reviewed
      if (albums.count(accountId) >= mostAlbums) return refused({ kind: 'too-many-albums' })
      return succeeded(albums.insert({ accountId, name: reviewed.value, uploads: [] }))
    },
    rename: (accountId: number, id: number, name: string): Result<AlbumRecord, AlbumProblem> =>
      change(accountId, id, () => {
        const reviewed = reviewText(name, maxAlbumName)
        return reviewed.ok ? succeeded({ name: reviewed.value }) : reviewed
      }),
    /** Adds uploads of the account; those that the album has keep their places. */
    add: (accountId: number, id: number, slugs: readonly string[]): Result<AlbumRecord, AlbumProblem> =>
      change(accountId, id, (album) => {
        const foreign = slugs.find((slug) => !isOwn(accountId)(slug))
        if (foreign !== undefined) return refused({ kind: 'upload-not-found', slug: foreign })
        const filled = [...new Set([...album.uploads, ...slugs])]
        return filled.length > mostUploadsOfAlbum
          ? refused({ kind: 'too-many-uploads' })
          : succeeded({ uploads: filled })
      }),
    /** Takes uploads out; those that the album lacks do not matter. */
    take: (accountId: number, id: number, slugs: readonly string[]): Result<AlbumRecord, AlbumProblem> =>
      change(accountId, id, (album) => succeeded({ uploads: without(album.uploads, slugs) })),
    empty: (accountId: number, id: number): Result<AlbumRecord, AlbumProblem> =>
      change(accountId, id, () => succeeded({ uploads: [] })),
    /** Removes an album; its uploads stay. */
    remove(accountId: number, id: number): Result<AlbumRecord, AlbumProblem> {
      const album = find(accountId, id)
      if (album === undefined) return refused({ kind: 'no-such-album' })
      albums.remove(id)
      return succeeded(album)
    },
    /**
     * Makes or removes empty albums until the account has so many, the latest first.
     * @param count at most {@link mostAlbums}
     * @throws MissingRecordError; ArgumentError if more albums than that have files, and nothing changes then
     */
    setCount(accountId: number, count: number) {
      if (accounts.get(accountId) === undefined) throw new MissingRecordError('account', accountId)
      const known = albums.ofAccount(accountId)
      const empty = known.filter((album) => album.uploads.length === 0)
      const filled = known.length - empty.length
      if (count < filled) {
        const albumsWithFiles = `${filled} ${filled === 1 ? 'album' : 'albums'} with files`
        throw invalidValue(
          `The account has ${albumsWithFiles}, so it cannot have ${count}: empty or remove some on the site`,
        )
      }
      for (const { id } of empty.slice(count - filled)) albums.remove(id)
      for (let number = known.length + 1; number <= count; number += 1) {
        albums.insert({ accountId, name: `Album ${number}`, uploads: [] })
      }
    },
  }
}

/** Takes an upload out of every album, because it is removed. */
export function leaveAlbums(albums: RecordStore['albums'], slug: string): void {
  for (const album of albums.withUpload(slug)) albums.update(album.id, { uploads: without(album.uploads, [slug]) })
}

function without(uploads: readonly string[], slugs: readonly string[]): readonly string[] {
  const gone = new Set(slugs)
  return uploads.filter((slug) => !gone.has(slug))
}
