import { expect, test } from 'vitest'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import { emulated } from '../emulated.ts'
import { errorRows } from './error-rows.ts'
import { pageRows } from './page-rows.ts'
import { quotaRows } from './quota-rows.ts'
import { uploadRows } from './upload-rows.ts'

const rows = [...quotaRows, ...errorRows, ...pageRows, ...uploadRows]

// The test's emulators have quotas of their own, which go before those among the settings.
test.each(rows.filter(({ setting }) => setting !== 'quotas'))(
  '$setting $value shows on the wire, set at the start',
  async ({ setting, value, expected, options, observe }) => {
    const emulator = await emulated({ ...options, settings: { ...options.settings, [setting]: value } })
    expect(await observe(emulator)).toEqual(expected)
  },
)

test.each(rows)(
  '$setting $value shows on the wire, set live',
  async ({ setting, value, expected, options, observe }) => {
    const emulator = await emulated(options)
    emulator.control.settings.update({ [setting]: value })
    expect(await observe(emulator)).toEqual(expected)
  },
)

/** Thumbnails are seen on the website as well, and tested there. */
const elsewhere = ['thumbnail', 'thumbnail_delay_ms']

test('every value of every setting has a row', () => {
  const wanted = Object.entries(definitions).flatMap(([name, { kind }]) =>
    (kind.values ?? ['any']).map((value) => `${name}=${value}`),
  )
  const covered = new Set(rows.flatMap(({ setting, value }) => [`${setting}=${value}`, `${setting}=any`]))
  const isElsewhere = (row: string) => elsewhere.some((name) => row.startsWith(`${name}=`))
  expect(wanted.filter((row) => !covered.has(row) && !isElsewhere(row))).toEqual([])
})
