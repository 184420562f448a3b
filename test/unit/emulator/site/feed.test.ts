import { expect, test } from 'vitest'
import { json } from '../emulated.ts'
import { anotherAccount, ownAccount } from './own-account.ts'
import { browserOf } from './visitor.ts'

test('the feed shows everyone the latest files of all accounts, and each shown file is a feed view of its account', async () => {
  const { emulator, id, api } = await ownAccount()
  const other = await anotherAccount(emulator)
  emulator.control.accounts.addUploads(id, { count: 2, created_at: '2026-01-15T11:00:00Z' })
  emulator.control.accounts.addUploads(other.id, { count: 60, created_at: '2026-01-15T10:00:00Z' })
  const { text } = await browserOf(emulator).get('/feed')
  expect(text.match(/<li><a href="\.\/i\//g)).toHaveLength(50)
  await browserOf(emulator).get('/feed', { 'Sec-Purpose': 'prefetch;prerender' })
  const views = async (of: typeof api) => (await json(of('GET', '/api/stats'))).total_views
  expect([await views(api), await views(other.api)]).toEqual([2, 48])
  const { data } = await json(api('GET', '/api/uploads'))
  expect(data.map((upload) => upload.views)).toEqual([0, 0])
  expect(emulator.control.accounts.get(id).feed_views).toBe(2)
})
