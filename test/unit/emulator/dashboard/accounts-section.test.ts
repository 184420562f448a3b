import { expect, test } from 'vitest'
import { emulated, send } from '../emulated.ts'
import { landed, page, problemBeside, section, sendForm } from './looking.ts'

test('an account is a row with its state, quotas, addresses and counts', async () => {
  const emulator = await emulated({ quotas: { minute: 60 } })
  emulator.control.accounts.addUploads(1, { count: 3 })
  emulator.control.accounts.update(1, {
    suspended: true,
    suspension_reason: 'late',
    quotas: { minute: 5, day: null },
    ip_allowlist: ['10.0.0.0/8', '::1', '1.2.3.4'],
    albums: 2,
    feed_views: 7,
  })
  const text = section(await page(emulator), 'accounts')
  expect(text).toContain('<strong>suspended</strong>: late; minute 5, day unlimited; 10.0.0.0/8, ::1 and 1 more')
  expect(text).toContain('<td>3 uploads, 2 albums, 7 feed views<td>')
  expect(text).toContain('<a href="?account_id=1#requests" aria-label="Requests of account 1">')
})

test('a new account’s email, password and key are shown together, once', async () => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, 'accounts/create', { email: 'ana@example.com' })
  const address = `http://h${answer.headers.get('location')}`
  expect(answer.headers.get('location')).not.toMatch(/@|[A-Za-z0-9]{40}/)
  await emulator.fetch(address, { method: 'HEAD' })
  await emulator.fetch(address, { headers: { 'Sec-Purpose': 'prefetch' } })
  const first = await emulator.fetch(address)
  const shown = [...(await first.text()).matchAll(/<output>([^<]+)</g)].map(([, text = '']) => text)
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect(shown).toEqual(['ana@example.com', expect.stringMatching(/^\w{16}$/), expect.stringMatching(/^\w{40}$/)])
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': shown[2] ?? '' } })).status).toBe(200)
  const second = await (await emulator.fetch(address)).text()
  for (const secret of shown.slice(1)) expect(second).not.toContain(secret)
})

test('an email that another account has is refused beside the field, and nothing is made', async () => {
  const emulator = await emulated()
  const answer = await sendForm(emulator, 'accounts/create', { email: 'user@example.com' })
  expect(problemBeside(await answer.text(), 'accounts-create-email')).toBe('Another account has this email')
  expect(emulator.control.accounts.list()).toHaveLength(1)
})

test('a new key is shown once, and the old one stops at once', async () => {
  const emulator = await emulated()
  const { id, api_key: old } = emulator.control.accounts.create()
  const answer = await sendForm(emulator, `accounts/key?account=${id}`, { id: `${id}` })
  const html = await landed(emulator, answer)
  const key = /<output>([^<]+)</.exec(html)?.[1] ?? ''
  const statuses = await Promise.all(
    [old, key].map((apiKey) => send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': apiKey } })),
  )
  expect(statuses.map(({ status }) => status)).toEqual([401, 200])
  expect(await page(emulator)).not.toContain(key)
})

test('a key is copied only where the emulator knows it, and is masked in the table', async () => {
  const emulator = await emulated({ apiKey: 'first-account-key' })
  emulator.control.accounts.create({ api_key: 'second-account-key' })
  const html = await page(emulator)
  expect(html).not.toContain('second-account-key')
  expect(html.match(/Copy key/g)).toHaveLength(1)
  expect(section(html, 'accounts')).toMatch(/>key …-key <button[^>]+data-copy="first-account-key">Copy key</)
  await emulator.control.state.restore(await emulator.control.state.get())
  await emulator.control.state.restore(await (await emulated()).control.state.get())
  expect(section(await page(emulator), 'accounts')).not.toContain('Copy key')
})

test('an account is suspended with a reason and released', async () => {
  const emulator = await emulated()
  await sendForm(emulator, 'accounts/suspend?account=1', { id: '1', suspended: 'yes', reason: ' Prea multe « poze » ' })
  expect(emulator.control.accounts.get(1)).toMatchObject({ suspended: true, suspension_reason: 'Prea multe « poze »' })
  expect(section(await page(emulator, '?account=1'), 'accounts')).toContain('Lift the suspension')
  await sendForm(emulator, 'accounts/suspend?account=1', { id: '1', suspended: 'no' })
  expect(emulator.control.accounts.get(1)).toMatchObject({ suspended: false, suspension_reason: null })
})

test('only limits that differ from the usual ones become an account’s own', async () => {
  const emulator = await emulated({ quotas: { burst: 20, minute: 60, hour: null, day: null } })
  const usual = { id: '1', burst: '20', minute: '60', hour: '', day: '' }
  await sendForm(emulator, 'accounts/quotas', { ...usual, minute: '5', burst: '' })
  expect(emulator.control.accounts.get(1).quotas).toEqual({ burst: null, minute: 5 })
  await sendForm(emulator, 'accounts/quotas', usual)
  expect(emulator.control.accounts.get(1).quotas).toBeNull()
  emulator.control.accounts.update(1, { quotas: { minute: 5 } })
  await sendForm(emulator, 'accounts/usual-quotas', { id: '1' })
  expect(emulator.control.accounts.get(1).quotas).toBeNull()
})

test.each([
  ['quotas', { burst: '-1', minute: '1', hour: '1', day: '1' }, 'burst', 'Takes whole units'],
  ['quotas', { burst: '1', minute: '1', hour: '1', day: '1.5' }, 'day', 'Takes whole units'],
  [
    'allowlist',
    { ip_allowlist: '10.0.0.1\n\n10.0.0.300 <b>' },
    'ip_allowlist',
    'Line 3, &quot;10.0.0.300 &lt;b&gt;&quot;',
  ],
  ['counts', { albums: '1', feed_views: 'many' }, 'feed_views', 'takes a whole number from zero up'],
  ['counts', { albums: '1000000', feed_views: '5' }, 'albums', 'takes a whole number from zero to 10000'],
])('a form for %s with %j is refused beside its field, and nothing changes', async (action, fields, field, problem) => {
  const emulator = await emulated()
  const before = emulator.control.accounts.list()
  const given = { id: '1', ...fields } as Record<string, string>
  const answer = await sendForm(emulator, `accounts/${action}?account=1`, given)
  expect(answer.status).toBe(422)
  expect(problemBeside(await answer.text(), `accounts-${action}-${field}`)).toContain(problem)
  expect(emulator.control.accounts.list()).toEqual(before)
})

test('an allowlist has one address or range a line; blank and repeated lines do not count', async () => {
  const emulator = await emulated()
  await sendForm(emulator, 'accounts/allowlist', { id: '1', ip_allowlist: ' 10.0.0.0/8 \r\n\r\n::1\r\n::1\r\n' })
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual(['10.0.0.0/8', '::1'])
  await sendForm(emulator, 'accounts/allowlist', { id: '1', ip_allowlist: '' })
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual([])
})

test('an account is deleted only after a second step', async () => {
  const emulator = await emulated()
  const { id } = emulator.control.accounts.create()
  const refused = await sendForm(emulator, `accounts/delete?account=${id}`, { id: `${id}` })
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('Tick this to delete')])
  const answer = await sendForm(emulator, `accounts/delete?account=${id}`, { id: `${id}`, sure: 'yes' })
  expect(answer.headers.get('location')).toMatch(/^\/_emulator\/ui\?notice=[\w-]+#accounts$/)
  expect(emulator.control.accounts.list().map((account) => account.id)).toEqual([1])
})

test.each(['suspend', 'quotas', 'allowlist', 'counts', 'key', 'delete'])(
  'a form for %s of an account that is gone is refused, and the page says so',
  async (action) => {
    const emulator = await emulated()
    const fields = {
      burst: '',
      minute: '',
      hour: '',
      day: '',
      ip_allowlist: '',
      albums: '0',
      feed_views: '0',
      sure: 'yes',
    }
    const answer = await sendForm(emulator, `accounts/${action}?account=9`, { id: '9', ...fields })
    expect([answer.status, section(await answer.text(), 'accounts')]).toEqual([
      422,
      expect.stringContaining('There is no account 9'),
    ])
  },
)

test('a page shows ten accounts, leads to the others, and finds one by its email or number', async () => {
  const emulator = await emulated()
  for (let count = 2; count <= 25; count += 1) emulator.control.accounts.create({ email: `a${count}@example.com` })
  const ids = async (query: string) =>
    [...section(await page(emulator, query), 'accounts').matchAll(/<th scope="row">(\d+) /g)].map(([, id]) =>
      Number(id),
    )
  expect(await ids('')).toEqual(Array.from({ length: 10 }, (_, at) => at + 1))
  expect(await ids('?accounts_from=20')).toEqual([21, 22, 23, 24, 25])
  expect([await ids('?find=A24'), await ids('?find=17'), await ids('?find=none')]).toEqual([[24], [17], []])
  expect(await ids('?accounts_from=1e9')).toHaveLength(10)
  expect(section(await page(emulator, '?accounts_from=10'), 'accounts')).toContain('11 to 20 of 25 accounts.')
})

test('markup in an email and a reason is text', async () => {
  const emulator = await emulated()
  const evil = '"><script>alert(1)</script>'
  emulator.control.accounts.create({ email: `${evil}@example.com` })
  emulator.control.accounts.update(2, { suspended: true, suspension_reason: evil, ip_allowlist: [evil] })
  const html = await page(emulator, `?account=2&find=${encodeURIComponent(evil)}`)
  expect(html).not.toContain('<script>')
  expect(section(html, 'accounts')).toContain('&lt;script&gt;')
})

test('an allowlist that was saved since the page was opened is named beside the field before the form replaces it', async () => {
  const emulator = await emulated()
  const basis = (text: string) => /name="was" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const opened = basis(await page(emulator, '?account=1'))
  emulator.control.accounts.update(1, { ip_allowlist: ['192.0.2.1'] })
  const save = (was: string) =>
    sendForm(emulator, 'accounts/allowlist?account=1', { id: '1', ip_allowlist: '::1', was })
  const asked = await (await save(opened)).text()
  expect(problemBeside(asked, 'accounts-allowlist-ip_allowlist')).toContain('It is now 192.0.2.1: save again')
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual(['192.0.2.1'])
  await save(basis(asked))
  expect(emulator.control.accounts.get(1).ip_allowlist).toEqual(['::1'])
})
