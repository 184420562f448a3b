import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { anotherAccount, ownAccount } from './own-account.ts'
import { browserOf, tokenOf } from './visitor.ts'

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
  ['a form of another port', {}, { 'Sec-Fetch-Site': 'same-site', Origin: 'http://h' }, 403, 'another site'],
  ['a form of another origin', {}, { Origin: 'http://h:5000' }, 403, 'another site'],
  ['a form with a wrong token', { token: 'made up' }, sameOrigin, 419, 'The form has expired'],
  ['a form without a token where the browser says nothing', {}, {}, 419, 'The form has expired'],
  ['a form of an unknown kind', {}, { ...sameOrigin, 'Content-Type': 'text/plain' }, 400, 'cannot be read'],
  ['a form of 300 kB', { from: 'r'.repeat(300_000) }, sameOrigin, 400, 'too large'],
])('%s changes nothing and is refused in words', async (_, fields, sent, status, words) => {
  const reply = await browserOf(await emulated()).send('/language', { language: 'ro', ...fields }, sent)
  expect([reply.status, reply.headers.get('Set-Cookie')]).toEqual([status, null])
  expect(reply.text).toContain(words)
})

test('a token is of the session that it was issued to, and of no other', async () => {
  const { emulator, browser } = await ownAccount()
  const [visitor, other] = [browserOf(emulator), (await anotherAccount(emulator)).browser]
  const [own, visitors] = [tokenOf(await browser.get('/'), '/language'), tokenOf(await visitor.get('/'), '/language')]
  const choose = async (who: typeof browser, token: string) =>
    (await who.send('/language', { language: 'ro', token }, {})).status
  expect([await choose(browser, own), await choose(visitor, visitors)]).toEqual([303, 303])
  const madeUp = ['x', own.slice(1), `${own}AAAA`, 'é'.repeat(1_000)]
  for (const token of [visitors, ...madeUp]) expect(await choose(browser, token)).toBe(419)
  for (const who of [other, visitor]) expect(await choose(who, own)).toBe(419)
})

const emptyFile = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'

test.each([
  ['/cont/cheie-api', 'password=any', 'application/x-www-form-urlencoded'],
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
