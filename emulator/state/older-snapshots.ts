import { albumCount } from '../storage/records.ts'
import { isObject } from '../values/json-schema.ts'

/**
 * Snapshots of earlier releases have only the number of each account's albums; every one becomes an empty album.
 * What is not such a snapshot stays as it is, for the check of its records to name.
 * @throws TypeError saying what the number of albums takes
 */
export function withAlbums(records: unknown): unknown {
  if (!isObject(records) || records['albums'] !== undefined || !Array.isArray(records['accounts'])) return records
  const albums = records['accounts'].flatMap((account: unknown, index) => {
    if (!isObject(account)) return []
    const count = albumCount.read(account['albums'], `The snapshot's records.accounts[${index}].albums`)
    return Array.from({ length: count }, (_, at) => ({
      account_id: account['id'],
      name: `Album ${at + 1}`,
      uploads: [],
    }))
  })
  return {
    ...records,
    albums: albums.map((album, at) => ({ id: at + 1, ...album })),
    last_ids: { ...Object(records['last_ids']), album: albums.length },
  }
}
