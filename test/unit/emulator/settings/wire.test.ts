import { expect, test } from 'vitest'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import { emulated } from '../emulated.ts'
import { errorRows } from './error-rows.ts'
import { pageRows } from './page-rows.ts'
import { quotaRows } from './quota-rows.ts'
import { uploadRows } from './upload-rows.ts'

const rows = [...quotaRows, ...errorRows, ...pageRows, ...uploadRows]

// `emulated` gives the option quotas, which overrides the setting.
test.each(rows.filter(({ setting }) => setting !== 'quotas'))(
  'the setting $setting $value has its effect on the wire if set at the start',
  async ({ setting, value, expected, options, observe }) => {
    const emulator = await emulated({ ...options, settings: { ...options.settings, [setting]: value } })
    expect(await observe(emulator)).toEqual(expected)
  },
)

test.each(rows)(
  'the setting $setting $value has its effect on the wire if set live',
  async ({ setting, value, expected, options, observe }) => {
    const emulator = await emulated(options)
    emulator.control.settings.update({ [setting]: value })
    expect(await observe(emulator)).toEqual(expected)
  },
)

/** Tested with the website, which shows thumbnails too. */
const elsewhere = ['thumbnail', 'thumbnail_delay_ms']

test('every value of every setting is tested on the wire', () => {
  const wanted = Object.entries(definitions).flatMap(([name, { type }]) =>
    (type.values ?? ['any']).map((value) => `${name}=${value}`),
  )
  const covered = new Set(rows.flatMap(({ setting, value }) => [`${setting}=${value}`, `${setting}=any`]))
  const isElsewhere = (row: string) => elsewhere.some((name) => row.startsWith(`${name}=`))
  expect(wanted.filter((row) => !covered.has(row) && !isElsewhere(row))).toEqual([])
})
