import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../../emulator/http.ts'
import { createFormTokens } from '../../../../emulator/site/forms/form-tokens.ts'
import { acceptsForm, formOrigin } from '../../../../emulator/site/forms/sent-form.ts'
import { emulated } from '../emulated.ts'
import { ownAccount } from './own-account.ts'
import { browserOf } from './visitor.ts'

const own = 'http://127.0.0.1:4884'

test('a form is foreign or the site’s own by what the browser says of its site, else of its origin', () => {
  const judged = (headers: HttpRequest['headers']) => formOrigin({ headers } as HttpRequest, own)
  const bySite = ['same-origin', 'cross-site', 'same-site'].map((site) =>
    judged({ 'sec-fetch-site': site, origin: own }),
  )
  expect(bySite).toEqual(['own', 'foreign', 'foreign'])
  const byOrigin = [own, 'http://127.0.0.1:5000', undefined].map((origin) => judged({ origin }))
  expect(byOrigin).toEqual(['own', 'foreign', 'unsaid'])
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
  const [ownToken, visitors] = [tokens.issue(a), tokens.issue(undefined)]
  expect([tokens.isValid(ownToken, a), tokens.isValid(visitors, undefined)]).toEqual([true, true])
  expect([tokens.isValid(ownToken, b), tokens.isValid(ownToken, undefined)]).toEqual([false, false])
  expect(tokens.isValid(visitors, a)).toBe(false)
  expect(createFormTokens().isValid(visitors, undefined)).toBe(false)
  const madeUp = ['', 'x', ownToken.slice(1), `${ownToken}AAAA`, 'é'.repeat(1_000)]
  expect(madeUp.filter((token) => tokens.isValid(token, a))).toEqual([])
})

test('the chosen language stays, and the visitor comes back to the page it was on', async () => {
  const browser = browserOf(await emulated())
  const chosen = await browser.send('/language', { language: 'ro', from: 'i/abc' })
  expect([chosen.status, chosen.location]).toEqual([303, './i/abc'])
  expect(chosen.headers.get('Set-Cookie')).toBe('fh_language=ro; Path=/; HttpOnly; SameSite=Lax')
  expect((await browser.get('/')).text).toContain('<html lang="ro">')
  for (const from of ['//evil.example', '../../x', 'i/a%0d%0aX: y', 'i/a\r\nX: y', 'assets/x', '']) {
    expect((await browser.send('/language', { language: 'ro', from })).location).toBe('./')
  }
})

const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' }

test.each([
  ['a form of another site', {}, { 'Sec-Fetch-Site': 'cross-site' }, 403, 'another site'],
  ['a form with a wrong token', { token: 'made up' }, sameOrigin, 419, 'The form has expired'],
  ['a form of an unknown kind', {}, { ...sameOrigin, 'Content-Type': 'text/plain' }, 400, 'cannot be read'],
  ['a form of 300 kB', { from: 'r'.repeat(300_000) }, sameOrigin, 400, 'too large'],
])('%s changes nothing and is refused in words', async (_, fields, sent, status, words) => {
  const reply = await browserOf(await emulated()).send('/language', { language: 'ro', ...fields }, sent)
  expect([reply.status, reply.headers.get('Set-Cookie')]).toEqual([status, null])
  expect(reply.text).toContain(words)
})

const emptyFile = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'

test.each([
  ['/cont/cheie-api/allowlist', 'do=save&addresses=192.0.2.1', 'application/x-www-form-urlencoded'],
  ['/upload', emptyFile, 'multipart/form-data; boundary=b'],
])('a form for %s whose session ends while it arrives changes nothing', async (path, text, type) => {
  const { emulator, id, browser } = await ownAccount()
  const stored = async () => {
    const { uploads } = (await emulator.control.state.get()).records
    return [emulator.control.accounts.list().flatMap((account) => account.ip_allowlist), uploads]
  }
  const before = await stored()
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
  const headers = { ...sameOrigin, Cookie: browser.cookie(), 'Content-Type': type }
  const reply = await emulator.fetch(`http://h${path}`, { method: 'POST', headers, body, duplex: 'half' })
  expect([reply.status, await reply.text()]).toEqual([419, expect.stringContaining('The form has expired')])
  expect(await stored()).toEqual(before)
})
