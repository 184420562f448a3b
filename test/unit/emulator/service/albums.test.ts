import { expect, test } from 'vitest'
import { mostUploadsOfAlbum } from '../../../../emulator/service/albums.ts'
import { mostAlbums } from '../../../../emulator/storage/record-types.ts'
import { accepted, addUploads, refused, serviceRig } from './service-rig.ts'

test.each([
  ['a\u0000b', 'control-character'],
  ['🏝'.repeat(101), 'too-long'],
])('the album name %j is refused as %s', (name, kind) => {
  const { albums } = serviceRig().service
  const before = '🏝'.repeat(100)
  const { id } = accepted(albums.create(1, before))
  expect([albums.create(1, name), albums.rename(1, id, name)]).toEqual([refused(kind), refused(kind)])
  expect(albums.of(1).map((album) => album.name)).toEqual([before])
})

test('an album of another account cannot be seen or changed, and takes no uploads of another account', () => {
  const { service } = serviceRig()
  const { albums } = service
  const [foreign = ''] = addUploads(service, 2, 1)
  const { id } = accepted(albums.create(1, 'Mine'))
  expect(albums.find(2, id)).toBeUndefined()
  for (const answer of [
    albums.rename(2, id, 'x'),
    albums.add(2, id, [foreign]),
    albums.remove(2, id),
    albums.take(2, id, []),
    albums.empty(2, id),
    albums.empty(1, 99),
  ]) {
    expect(answer).toEqual(refused('no-such-album'))
  }
  expect(albums.add(1, id, [foreign])).toEqual(refused('upload-not-found', foreign))
  expect(albums.of(1)).toEqual([{ id, accountId: 1, name: 'Mine', uploads: [] }])
})

test('a deleted upload leaves its albums, and a deleted account takes its albums along', async () => {
  const { service, records } = serviceRig()
  const [first = '', second = ''] = addUploads(service, 1, 2)
  for (const name of ['One', 'Other']) {
    service.albums.add(1, accepted(service.albums.create(1, name)).id, [first, second])
  }
  await service.uploads.remove(1, first)
  expect(service.albums.of(1).map(({ uploads }) => uploads)).toEqual([[second], [second]])
  service.albums.create(2, 'Stays')
  await service.accounts.remove(1)
  expect(records.dump().albums.map(({ name }) => name)).toEqual(['Stays'])
  expect(records.albums.withUpload(second)).toEqual([])
})

test('a number of albums makes empty ones or removes the latest empty ones, but none with files', () => {
  const { service } = serviceRig()
  const { albums } = service
  const names = () => albums.of(1).map(({ name }) => name)
  const [slug = ''] = addUploads(service, 1, 1)
  albums.setCount(1, 3)
  expect(names()).toEqual(['Album 1', 'Album 2', 'Album 3'])
  for (const { id } of albums.of(1).slice(0, 2)) albums.add(1, id, [slug])
  expect(() => albums.setCount(1, 1)).toThrow('The account has 2 albums with files, so it cannot have 1')
  expect(albums.count(1)).toBe(3)
  albums.setCount(1, 2)
  expect(names()).toEqual(['Album 1', 'Album 2'])
  expect(() => albums.setCount(9, 1)).toThrow('There is no account 9')
})

test('an account with the most albums gets no other, and an album with the most uploads takes no other', () => {
  const { service } = serviceRig()
  const { albums } = service
  albums.setCount(1, mostAlbums)
  expect(albums.create(1, 'One more')).toEqual(refused('too-many-albums'))
  const [first = '', ...rest] = addUploads(service, 1, mostUploadsOfAlbum + 1)
  const id = albums.of(1)[0]?.id ?? 0
  expect(accepted(albums.add(1, id, rest)).uploads).toHaveLength(mostUploadsOfAlbum)
  expect(albums.add(1, id, [first])).toEqual(refused('too-many-uploads'))
})
