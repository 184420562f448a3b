import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import { dialects } from '../../../../emulator/settings/dialects.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'
import { emulated } from '../emulated.ts'
import { landed, page, problemBeside, section, sendForm } from './looking.ts'

const names = Object.keys(definitions)

/** What a browser sends with the form of settings, unchanged. */
async function formOf(emulator: Emulator, query = ''): Promise<Record<string, string>> {
  const text = section(await page(emulator, query), 'settings')
  const [, form = ''] = /<form method="post" action="[^"]*settings\/save[^"]*"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
  const plain = (value = '') => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const inputs = [...form.matchAll(/<input [^>]*name="([^"]+)"(?: type="\w+")? value="([^"]*)"/g)]
  const selects = [...form.matchAll(/<select [^>]*name="([^"]+)"[^>]*>.*?<option selected>([^<]*)</gs)]
  return Object.fromEntries([...inputs, ...selects].map(([, name = '', value]) => [name, plain(value)]))
}

test('every setting is a row with its value, its default and what it decides', async () => {
  const text = section(await page(await emulated({ quotas: defaultLimits })), 'settings')
  const rows = [...text.matchAll(/<tr><th scope="row"><(?:label[^>]*|code)>(\w+)<.*?<p>(.*?)<td>.*?<td>([^<]*)\n/gs)]
  expect(rows.map(([, name]) => name)).toEqual(names)
  expect(rows.every(([, , sentence]) => (sentence ?? '').length > 20)).toBe(true)
  expect(rows.find(([, name]) => name === 'page_size')?.[3]).toBe('50')
  expect(text).toContain('Every setting has its default: this is the dialect spec.')
})

test('settings that differ from spec are marked in words, counted, and can be shown alone', async () => {
  const emulator = await emulated({ quotas: defaultLimits, settings: { quota_windows: 'sliding', page_size: 7 } })
  const text = section(await page(emulator), 'settings')
  expect(text).toContain(
    '<strong>2 changed</strong> from spec: <code>quota_windows</code> sliding, <code>page_size</code> 7.',
  )
  expect(text.match(/<em>changed<\/em>/g)).toHaveLength(2)
  const changed = section(await page(emulator, '?settings=changed'), 'settings')
  expect([...changed.matchAll(/<label for="s-(\w+)"/g)].map(([, name]) => name)).toEqual(['quota_windows', 'page_size'])
})

test('the form, sent as it is shown, changes nothing', async () => {
  const emulator = await emulated({ dialect: 'hostile', quotas: { minute: 5, hour: null } })
  const before = emulator.control.settings.get()
  const answer = await sendForm(emulator, 'settings/save', await formOf(emulator))
  expect(await landed(emulator, answer)).toContain('Every value is as it was')
  expect(emulator.control.settings.get()).toEqual(before)
})

test('one button saves values of every kind', async () => {
  const emulator = await emulated()
  const changes = {
    api_enabled: 'false',
    max_file_size: '5MB',
    'quotas.burst': '7',
    'quotas.day': '',
    quota_windows: 'sliding',
    unavailable_retry_after: 'http_date',
    check_order: 'key, disabled, suspended, address, quota',
    page_invalid: '404',
    title: 'filename',
    timezone: 'Asia/Tokyo',
    visible_after_ms: '5',
  }
  const answer = await sendForm(emulator, 'settings/save', { ...(await formOf(emulator)), ...changes })
  expect(answer.status).toBe(303)
  expect(emulator.control.settings.get()).toMatchObject({
    api_enabled: false,
    max_file_size: 5_242_880,
    quotas: { burst: 7, minute: null, hour: null, day: null },
    quota_windows: 'sliding',
    unavailable_retry_after: 'http_date',
    check_order: ['key', 'disabled', 'suspended', 'address', 'quota'],
    page_invalid: '404',
    title: 'filename',
    timezone: 'Asia/Tokyo',
    visible_after_ms: 5,
  })
})

test('nothing is saved if one value is wrong, every wrong one is named beside its field, and what was entered stays', async () => {
  const emulator = await emulated()
  const before = emulator.control.settings.get()
  const wrong = {
    page_size: '0',
    timezone: 'Mars/<b>',
    'quotas.hour': 'x',
    check_order: 'key',
    quota_windows: 'slidin',
  }
  const given = { ...(await formOf(emulator)), title: 'filename', ...wrong }
  const answer = await sendForm(emulator, 'settings/save', given)
  const html = await answer.text()
  expect(answer.status).toBe(422)
  expect(html).toContain('Nothing is saved: 5 values cannot be taken.')
  expect(problemBeside(html, 's-page_size')).toContain('takes a whole number from 1 to 1000, but got 0')
  expect(problemBeside(html, 's-timezone')).toContain('Mars/&lt;b&gt;')
  expect(problemBeside(html, 's-quotas-hour')).toContain('Takes whole units')
  expect(problemBeside(html, 's-check_order')).toContain('each of disabled, key')
  expect(problemBeside(html, 's-quota_windows')).toContain('did you mean sliding?')
  expect(html).toContain('id="s-timezone" name="timezone" value="Mars/&lt;b&gt;"')
  expect(emulator.control.settings.get()).toEqual(before)
})

test('two people who change different settings do not undo each other’s', async () => {
  const emulator = await emulated({ settings: { page_size: 7 } })
  const one = await formOf(emulator)
  const other = await formOf(emulator)
  await sendForm(emulator, 'settings/save', { ...one, quota_windows: 'sliding', page_size: '50' })
  await sendForm(emulator, 'settings/save', { ...other, title: 'filename' })
  expect(emulator.control.settings.get()).toMatchObject({ quota_windows: 'sliding', page_size: 50, title: 'filename' })
})

test.each(['', '{', '[1]', '{"nothing":1}', '['.repeat(50_000)])(
  'a form whose record of what it showed is %.20s counts as one that showed the defaults',
  async (shown) => {
    const emulator = await emulated()
    const answer = await sendForm(emulator, 'settings/save', { shown, page_size: '50', title: 'filename' })
    expect(answer.status).toBe(303)
    expect(emulator.control.settings.get()).toMatchObject({ page_size: 50, title: 'filename' })
  },
)

test('a dialect shows what it changes before it is applied, and leaves quotas, size and the switch alone', async () => {
  const emulator = await emulated({ settings: { page_size: 7, max_file_size: 5, api_enabled: false } })
  const before = emulator.control.settings.get()
  const text = section(await page(emulator, '?dialect=laravel'), 'settings')
  expect(text).toContain('laravel changes 5 settings')
  expect(text).toContain('<code>page_size</code> 7 → <strong>50</strong>')
  expect(text).toContain('<code>links_page_key</code> false → <strong>true</strong>')
  expect(emulator.control.settings.get()).toEqual(before)
  const answer = await sendForm(emulator, 'settings/dialect?dialect=laravel', { dialect: 'laravel' })
  expect(answer.headers.get('location')).not.toContain('dialect')
  expect(emulator.control.settings.get()).toMatchObject({
    ...dialects.laravel,
    page_size: 50,
    max_file_size: 5,
    api_enabled: false,
    quotas: before.quotas,
  })
  expect(section(await page(emulator, '?dialect=laravel'), 'settings')).toContain(
    'The settings are those of laravel already.',
  )
})

test.each(['nothing', '', '__proto__', 'constructor'])('there is no dialect "%s" to apply', async (dialect) => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, 'settings/dialect?dialect=spec', { dialect })
  expect(answer.status).toBe(422)
  expect(section(await page(emulator, `?dialect=${dialect}`), 'settings')).not.toContain('Apply')
})
