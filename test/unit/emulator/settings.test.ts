import { expect, test } from 'vitest'
import { createSettings, type SettingChanges } from '../../../emulator/settings.ts'

test('every setting has the default of the spec', () => {
  expect(createSettings().current).toEqual({
    api_enabled: true,
    max_file_size: 209_715_200,
    quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 },
    timezone: 'Europe/Bucharest',
  })
})

test('quotas are merged window by window, null being unlimited', () => {
  const settings = createSettings({ quotas: { burst: null } })
  expect(settings.update({ quotas: { day: 5 } }).quotas).toEqual({ burst: null, minute: 60, hour: 1_000, day: 5 })
})

test.each([
  [1_024, 1_024],
  ['200MB', 209_715_200],
  ['512 KiB', 524_288],
  ['1.5g', 1_610_612_736],
  ['77', 77],
])('the size %j is %d bytes', (size, bytes) => {
  expect(createSettings({ max_file_size: size }).current.max_file_size).toBe(bytes)
})

test.each<[object, string]>([
  [{ colour: 'red' }, 'There is no setting "colour"; there are api_enabled, max_file_size, quotas, timezone'],
  [{ api_enabled: 'yes' }, 'The setting api_enabled takes true or false, but got "yes"'],
  [{ max_file_size: 0 }, 'The setting max_file_size takes a number of bytes above zero'],
  [{ max_file_size: 'huge' }, 'or a size such as "200MB", but got "huge"'],
  [{ quotas: { burst: -1 } }, 'The setting quotas takes whole units or null for any of burst, minute, hour, day'],
  [{ quotas: { week: 5 } }, 'The setting quotas takes whole units or null'],
  [{ quotas: null }, 'The setting quotas takes whole units or null'],
  [{ timezone: 'Europe/Nowhere' }, 'The setting timezone takes an IANA time zone'],
  [{ toString: 1 }, 'There is no setting "toString"'],
])('%j is refused with what would be right', (changes, message) => {
  expect(() => createSettings(changes as SettingChanges)).toThrow(message)
})

test('a refused change leaves all settings as they were', () => {
  const settings = createSettings()
  const before = settings.current
  const changes = { api_enabled: false, timezone: 'nowhere' }
  expect(() => settings.update(changes)).toThrow(TypeError)
  expect(settings.current).toBe(before)
})
