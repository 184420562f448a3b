import { expect, test } from 'vitest'
import { parseSettingAssignment } from '../../../../../src/cli/commands/emulate/command.ts'

test.each<[string, string, unknown]>([
  ['quota_windows=sliding', 'quota_windows', 'sliding'],
  [' charge_failed = false ', 'charge_failed', false],
  ['visible_after_ms=500', 'visible_after_ms', 500],
  ['title=null', 'title', null],
  ['max_file_size=200MB', 'max_file_size', '200MB'],
  ['quotas={"burst":5,"day":null}', 'quotas', { burst: 5, day: null }],
  ['check_order=key,quota', 'check_order', 'key,quota'],
  ['timezone=a=b', 'timezone', 'a=b'],
])('%j sets %s to %j', (text, name, value) => {
  expect(parseSettingAssignment(text)).toEqual([name, value])
})

test.each(['quota_windows', '=sliding', 'quota_windows=', ''])('%j is refused, with how to write a setting', (text) => {
  expect(() => parseSettingAssignment(text)).toThrow('write NAME=VALUE')
})
