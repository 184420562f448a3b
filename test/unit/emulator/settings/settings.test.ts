import { expect, test } from 'vitest'
import { settingsDocument } from '../../../../build/settings-document.ts'
import { createEmulator } from '../../../../emulator/index.ts'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import type { Dialect } from '../../../../emulator/settings/dialects.ts'
import { createSettings, type SettingChanges } from '../../../../emulator/settings/settings.ts'

test('the default of a setting with listed values is the first of them, except for booleans', () => {
  for (const { type, default: value } of Object.values(definitions)) {
    if (type.values !== undefined && typeof value !== 'boolean') expect(type.values[0]).toBe(value)
  }
})

test('the setting quotas is merged window by window, null is unlimited, and none makes every window so', () => {
  const settings = createSettings({ quotas: { burst: null } })
  expect(settings.update({ quotas: { day: 5 } }).quotas).toEqual({ burst: null, minute: 60, hour: 1_000, day: 5 })
  const none = { burst: null, minute: null, hour: null, day: null }
  expect(createSettings({ quotas: 'none' }).current.quotas).toEqual(none)
  expect(createSettings().update({ quotas: 'none' }).quotas).toEqual(none)
})

test.each([
  ['200MB', 209_715_200],
  ['512 KiB', 524_288],
  ['1.5g', 1_610_612_736],
  [0.3 * 1_048_576, 314_573],
])('max_file_size reads %j as %d bytes', (size, bytes) => {
  expect(createSettings({ max_file_size: size }).current.max_file_size).toBe(bytes)
})

test('a setting value such as 404 can be given as a number, and check_order as text', () => {
  const { oversize, page_invalid, check_order } = createSettings({
    oversize: 413,
    page_invalid: 404,
    check_order: 'quota, key,disabled, address,suspended',
  }).current
  expect([oversize, page_invalid]).toEqual(['413', '404'])
  expect(check_order).toEqual(['quota', 'key', 'disabled', 'address', 'suspended'])
})

test.each<[object, string]>([
  [{ colour: 'red' }, 'There is no setting "colour"; there are api_enabled, max_file_size, quotas, quota_windows'],
  [{ max_file_size: 'huge' }, 'or a size such as "200MB", but got "huge"'],
  [{ max_file_size: { toString: 1, valueOf: 1 } }, 'or a size such as "200MB", but got {"toString":1,"valueOf":1}'],
  [{ quotas: 5 }, 'The setting quotas takes whole units or null for any of burst, minute, hour, day, or none'],
  [{ timezone: 'Europe/Nowhere' }, 'The setting timezone takes an IANA time zone'],
  [{ quota_windows: 'slidng' }, 'sliding_counter, token_bucket, but got "slidng"'],
  [{ page_invalid: ['404'] }, 'The setting page_invalid takes one of first_page, 404, 422, but got ["404"]'],
  [{ check_order: ['key', 'quota'] }, 'takes each of disabled, key, suspended, address, quota once, in any order'],
  [{ unavailable_retry_after: 'soon' }, 'seconds from zero up, or http_date, or none, but got "soon"'],
])('the settings %j are refused with what would be accepted', (changes, message) => {
  expect(() => createSettings(changes as SettingChanges)).toThrow(message)
})

test('an unknown dialect is refused with a list of the dialects', async () => {
  const creating = createEmulator({ dialect: 'klingon' as Dialect })
  await expect(creating).rejects.toThrow('There is no dialect "klingon"; there are spec, laravel, hostile')
})

test('docs/settings.md is what npm run docs writes from the definitions', async () => {
  await expect(settingsDocument()).toMatchFileSnapshot('../../../../docs/settings.md')
})
