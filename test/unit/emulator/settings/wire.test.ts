import { expect, test } from 'vitest'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import { dialects } from '../../../contract/dialects.ts'
import { emulated } from '../emulated.ts'
import { answerRows } from './answer-rows.ts'
import { quotaRows } from './quota-rows.ts'
import { uploadRows } from './upload-rows.ts'

const rows = [...quotaRows, ...answerRows, ...uploadRows]

test.each(rows)(
  'the setting $setting $value has its effect on the wire',
  async ({ setting, value, expected, options, observe }) => {
    const emulator = await emulated(options)
    emulator.control.settings.update({ [setting]: value })
    expect(await observe(emulator)).toEqual(expected)
  },
)

/** The contract tests the default of a setting, and in another dialect the value that a departure names. */
const inContract = Object.values(dialects)
  .flatMap(({ departures }) => Object.values(departures).flatMap(({ because }) => because.split(', ')))
  .flatMap((cause) => {
    const [name = '', value = 'true'] = cause.split('=')
    return [`${name}=${value}`, `${name}=any`, `${name}=${Object(definitions)[name].default}`]
  })

/** Thumbnails are tested with the website, which shows them too; the others are defaults that the contract is held with. */
const elsewhere = [
  'thumbnail',
  'thumbnail_delay_ms',
  'api_enabled',
  'max_file_size',
  'case_insensitive_slugs=false',
  'charge_failed=true',
  'cors=open',
  'duplicate_content=new_slug',
  'empty_header_key=rejects',
  'json_style=laravel',
  'trust_forwarded_for=false',
]

test('every value of every setting is tested on the wire', () => {
  const wanted = Object.entries(definitions).flatMap(([name, { type }]) =>
    (type.values ?? ['any']).map((value) => `${name}=${value}`),
  )
  const covered = new Set([
    ...rows.flatMap(({ setting, value }) => [`${setting}=${value}`, `${setting}=any`]),
    ...inContract,
  ])
  const isElsewhere = (name: string) => elsewhere.some((other) => name === other || name.startsWith(`${other}=`))
  expect(wanted.filter((name) => !covered.has(name) && !isElsewhere(name))).toEqual([])
})
