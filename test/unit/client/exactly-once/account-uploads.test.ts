import { expect, test } from 'vitest'
import { AccountUploads } from '../../../../src/client/exactly-once/account-uploads.ts'
import { uploadObject } from '../../../helpers/media.ts'

const upload = (slug: string, more = {}) => ({ ...uploadObject, slug, size: 100, ...more })
const sent = { size: 100, mimeType: 'image/jpeg' }

test('a slug that was seen cannot be an upload that began later, but one that began earlier', () => {
  const account = new AccountUploads()
  const before = account.mark()
  account.saw([upload('a')])
  const after = account.mark()
  account.saw([upload('a')])
  expect(account.wasSeenBefore('a', before)).toBe(false)
  expect(account.wasSeenBefore('a', after)).toBe(true)
  expect(account.wasSeenBefore('b', account.mark())).toBe(false)
})

test('recent slugs are the last hundred', () => {
  const account = new AccountUploads()
  for (let count = 0; count < 150; count += 1) account.answered(upload(`${count}`), sent)
  expect([account.recent().length, account.recent()[0]]).toEqual([100, '50'])
})

test('a service that changed one file of a type never counts as keeping that type again', () => {
  const account = new AccountUploads()
  expect(account.treatmentOf('image/jpeg')).toBeUndefined()
  account.answered(upload('a'), sent)
  expect(account.treatmentOf('image/jpeg')).toBe('keeps')
  account.answered(upload('b', { size: 108 }), sent)
  account.answered(upload('c'), sent)
  account.adopted([{ type: 'stored', upload: upload('d') }])
  expect(account.treatmentOf('image/jpeg')).toBe('changes')
})
