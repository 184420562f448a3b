import { expect, test } from 'vitest'
import { acceptsForm, formOrigin } from '../../../../emulator/site/forms/form-judge.ts'
import { createFormTokens } from '../../../../emulator/site/forms/form-tokens.ts'
import { emulated } from '../emulated.ts'
import { ownAccount } from './own-account.ts'

const request = (headers: Readonly<Record<string, string>>) => ({
  method: 'POST',
  url: '/language',
  origin: 'http://127.0.0.1:4884',
  clientIp: '127.0.0.1',
  headers,
  body: {
    async *[Symbol.asyncIterator]() {},
  },
})

test.each([
  [{ 'sec-fetch-site': 'same-origin' }, 'own'],
  [{ 'sec-fetch-site': 'same-site' }, 'foreign'],
  [{ 'sec-fetch-site': 'cross-site' }, 'foreign'],
  [{ 'sec-fetch-site': 'none' }, 'foreign'],
  [{ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4884' }, 'foreign'],
  [{ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:5000' }, 'own'],
  [{ origin: 'http://127.0.0.1:4884' }, 'own'],
  [{ origin: 'http://127.0.0.1:5000' }, 'foreign'],
  [{ origin: 'https://127.0.0.1:4884' }, 'foreign'],
  [{ origin: 'null' }, 'foreign'],
  [{}, 'unsaid'],
])('a form with the headers %j is %s', (headers, origin) => {
  expect(formOrigin(request(headers), 'http://127.0.0.1:4884')).toBe(origin)
})

test('a token decides where the browser says nothing, and a wrong one is refused everywhere', () => {
  const isValid = (token: string) => token === 'right'
  const judged = (['own', 'unsaid'] as const).map((origin) =>
    ['right', 'wrong', undefined].map((token) => acceptsForm(origin, token, isValid)),
  )
  expect(judged).toEqual([
    [true, false, true],
    [true, false, false],
  ])
})

test('a form token is valid for the session that it was issued to, and for no other', () => {
  const tokens = createFormTokens()
  const [a, b] = [{ formSecret: 'a' }, { formSecret: 'b' }]
  const [own, visitors] = [tokens.issue(a), tokens.issue(undefined)]
  expect([tokens.isValid(own, a), tokens.isValid(visitors, undefined)]).toEqual([true, true])
  expect([tokens.isValid(own, b), tokens.isValid(own, undefined)]).toEqual([false, false])
  expect(tokens.isValid(visitors, a)).toBe(false)
  expect(createFormTokens().isValid(visitors, undefined)).toBe(false)
  expect(['', 'x', own.slice(1), `${own}AAAA`, 'é'.repeat(1_000)].some((made) => tokens.isValid(made, a))).toBe(false)
})

const form = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  new Request('http://h/language', {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
    body: new URLSearchParams(fields),
  })

test('the chosen language stays, and the visitor comes back to the page it was on', async () => {
  const emulator = await emulated()
  const chosen = await emulator.fetch(form({ language: 'ro', from: 'i/abc' }))
  expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, './i/abc'])
  expect(chosen.headers.get('Set-Cookie')).toBe('fh_language=ro; Path=/; HttpOnly; SameSite=Lax')
  const page = await emulator.fetch(new Request('http://h/', { headers: { Cookie: 'fh_language=ro' } }))
  expect(await page.text()).toContain('<html lang="ro">')
})

test.each(['//evil.example', 'https://evil.example', '../../x', 'i/a%0d%0aX: y', 'i/a\r\nX: y', 'assets/x', ''])(
  'the switch of the language leads home instead of to %j',
  async (from) => {
    const emulator = await emulated()
    const reply = await emulator.fetch(form({ language: 'ro', from }))
    expect(reply.headers.get('Location')).toBe('./')
  },
)

test.each([
  ['a form of another site', form({ language: 'ro' }, { 'Sec-Fetch-Site': 'cross-site' }), 403, 'another site'],
  ['a form with a wrong token', form({ language: 'ro', token: 'made up' }), 419, 'The form has expired'],
  ['a form of an unknown kind', form({ language: 'ro' }, { 'Content-Type': 'text/plain' }), 400, 'cannot be read'],
  ['a form of 300 kB', form({ language: 'r'.repeat(300_000) }), 400, 'too large'],
])('%s changes nothing and is refused in words', async (_, sent, status, words) => {
  const reply = await (await emulated()).fetch(sent)
  expect([reply.status, reply.headers.get('Set-Cookie')]).toEqual([status, null])
  expect(await reply.text()).toContain(words)
})

test.each([
  ['/albums', 'name=Ghost', 'application/x-www-form-urlencoded'],
  [
    '/upload',
    '--b\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n',
    'multipart/form-data; boundary=b',
  ],
])('a form for %s whose session ends while it arrives changes nothing', async (path, text, type) => {
  const { emulator, id, browser } = await ownAccount()
  const before = emulator.control.state.get()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        await emulator.control.accounts.delete(id)
        stream.enqueue(Buffer.from(text))
        stream.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { Cookie: browser.cookie(), 'Content-Type': type, 'Sec-Fetch-Site': 'same-origin' }
  const init = { method: 'POST', headers, body, duplex: 'half' } as const
  const reply = await emulator.fetch(new Request(`http://h${path}`, init))
  expect([reply.status, await reply.text()]).toEqual([419, expect.stringContaining('The form has expired')])
  const { albums, uploads } = (await emulator.control.state.get()).records
  expect([albums, uploads]).toEqual([(await before).records.albums, (await before).records.uploads])
})
