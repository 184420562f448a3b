import { expect, test } from 'vitest'
import { openMemoryStorage } from '../../../../emulator/storage/open.ts'
import { mostKept } from '../../../../emulator/storage/request-log.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { openFolder } from './opened.ts'
import { everything, request, slugsOf, upload } from './records.ts'

test('uploads can be added by the thousand, and any page of them is found', () => {
  const { uploads } = openMemoryStorage().records
  uploads.insert(upload('first'))
  for (let index = 0; index < 12_000; index += 1) uploads.insert(upload(`s${index}`, { createdAt: index % 7 }))
  expect(uploads.newest(1, { offset: 5_000, limit: 1 })).toHaveLength(1)
  for (let index = 0; index < 1_500; index += 1) uploads.insert(upload(`t${index}`, { createdAt: 9 }))
  for (let index = 0; index < 1_500; index += 1) uploads.insert(upload(`m${index}`, { createdAt: 3 }))
  for (let index = 0; index < 6_000; index += 4) uploads.remove(`s${index}`)
  const all = slugsOf(uploads.newest(1, everything))
  expect(all).toHaveLength(13_501)
  for (const offset of [0, 1_499, 5_000, 8_750, 13_460]) {
    expect(slugsOf(uploads.newest(1, { offset, limit: 50 }))).toEqual(all.slice(offset, offset + 50))
  }
  expect(uploads.totals(1)).toEqual({ uploads: 13_501, views: 0, bytes: 135_010 })
})

test('a full request log drops the oldest, which still count, also after a restart', async () => {
  const folder = temporaryFolder()
  const first = await openFolder(folder)
  for (let sent = 0; sent < mostKept; sent += 1) first.records.requests.append(request())
  for (const status of [203, 204]) first.records.requests.append(request({ status }))
  first.records.requests.append(request({ accountId: null, status: 401 }))
  await first.close()
  const { records } = await openFolder(folder)
  const { requests } = records
  const [state, ofFirst] = [{ last: mostKept + 3, kept: mostKept, dropped: 3 }, mostKept + 2]
  expect(requests.select({ limit: 3 }).map(({ status }) => status)).toEqual([203, 204, 401])
  expect([requests.logged(1), requests.state()]).toMatchObject([ofFirst, state])
  expect(requests.usage()).toMatchObject([{ logged: 1 }, { accountId: 1, logged: ofFirst }])
  expect([4, 3].map((number) => requests.get(number)?.status)).toEqual([200, undefined])
  const copy = openMemoryStorage().records
  copy.load(records.dump())
  expect([copy.requests.logged(1), copy.requests.state()]).toMatchObject([ofFirst, state])
})
