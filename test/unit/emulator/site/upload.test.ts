import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { type FormPart, multipartForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'
import { ownAccount, plain, visit } from './own-account.ts'
import { type Browser, browserOf, tokenOf } from './visitor.ts'

const file = (fileName: string, content: FormPart['content'] = jpegBytes(100)) => ({ name: 'files', fileName, content })
const tokenPart = (content: string): FormPart => ({ name: 'token', content })
const asScript = { Accept: 'application/json' }

type Headers = Readonly<Record<string, string>>

/** Sends files to the site as a browser sends its form. */
async function sendFiles(emulator: Parameters<typeof visit>[0], browser: Browser, headers: Headers, parts: FormPart[]) {
  const form = multipartForm(...parts)
  const sent = { Cookie: browser.cookie(), ...form.headers, ...headers }
  const reply = await visit(emulator, '/upload', { method: 'POST', redirect: 'manual', body: form.body, headers: sent })
  const to = reply.headers.get('Location')
  const open = async () => plain(to === null ? await reply.text() : (await browser.get(to.slice(1))).text)
  // The text of the page that the form leads to.
  return { status: reply.status, location: to?.replace(/\?.*/, ''), text: await open(), reload: open }
}

async function uploadPage(options: EmulatorOptions = {}) {
  const rig = await ownAccount(options)
  const { emulator, browser } = rig
  const token = tokenOf(await browser.get('/'), '/upload')
  return {
    ...rig,
    token,
    /** Sends these parts alone. */
    sendParts: (headers: Headers, ...parts: FormPart[]) => sendFiles(emulator, browser, headers, parts),
    /** Sends files with the token of the page. */
    sendForm: (headers: Headers, ...files: FormPart[]) =>
      sendFiles(emulator, browser, headers, [tokenPart(token), ...files]),
    stored: () => emulator.control.health().bytes_stored,
  }
}

test('files sent by the form are uploads at once, neither charged nor logged', async () => {
  const { api, emulator, id, sendForm } = await uploadPage({ quotas: { burst: 20, day: 100 } })
  const sent = await sendForm({}, file('a.jpg'), file('b.jpg', jpegBytes(200)))
  expect([sent.status, sent.location]).toEqual([303, './'])
  expect(sent.text).toContain('The upload is complete.')
  expect([emulator.control.requests.list().kept, emulator.control.accounts.quota(id).day.used]).toEqual([0, 0])
  const { data } = await json(api('GET', '/api/uploads'))
  expect(data.map(({ size, title, mime_type }) => `${size} ${title} ${mime_type}`)).toEqual([
    '200 null image/jpeg',
    '100 null image/jpeg',
  ])
})

test('the token before the files counts: a wrong one behind a file takes nothing back, a right one gives nothing', async () => {
  const { token, sendParts, sendForm, stored } = await uploadPage()
  expect((await sendForm({}, file('a.jpg'), tokenPart('wrong'))).status).toBe(303)
  expect(stored()).toBe(100)
  expect((await sendParts({}, tokenPart('wrong'), file('a.jpg'), tokenPart(token))).status).toBe(419)
  expect((await sendParts({}, file('a.jpg'), tokenPart(token))).text).toContain('Choose a file first.')
  expect(stored()).toBe(100)
})

test('a refused file is named with the reason, the others are stored, and reloading neither sends nor says anything again', async () => {
  const { sendForm, stored } = await uploadPage({ maxFileSizeBytes: 1_024 })
  const files = [file('good.jpg'), file('<b>.txt', 'text'), file('big.jpg', jpegBytes(1_025))]
  const english = await sendForm({}, ...files)
  expect([english.status, english.location]).toEqual([303, './'])
  expect(english.text).toContain('1 file is uploaded.')
  expect(english.text).toContain('&lt;b&gt;.txt: The service does not take files of this type.')
  expect(english.text).toContain('big.jpg: The file is larger than 1 KB.')
  expect(await english.reload()).not.toContain('big.jpg')
  expect(stored()).toBe(100)
})

test('a form without a file asks for one, and one with too many says that some are left out', async () => {
  const { sendForm, emulator } = await uploadPage()
  const empty = await sendForm({}, file('', ''))
  expect([empty.status, empty.text]).toEqual([303, expect.stringContaining('Choose a file first.')])
  const { text } = await sendForm({}, ...Array.from({ length: 22 }, (_, index) => file(`${index}.jpg`)))
  expect(text).toContain('Only the first 20 files were read.')
  expect(text).toContain('20 files are uploaded.')
  expect(emulator.control.health().uploads).toBe(20)
})

test('a script that asks for JSON is answered with a link or the reason, file by file', async () => {
  const { sendForm } = await uploadPage()
  const { text } = await sendForm({ ...asScript, 'Accept-Language': 'ro' }, file('a/b\\ă.jpg'), file('x', 'x'))
  expect(JSON.parse(text)).toEqual({
    files: [
      { name: 'ă.jpg', href: expect.stringMatching(/^\.\/i\/\w{10}$/) },
      { name: 'x', problem: 'Serviciul nu acceptă fișiere de acest tip.' },
    ],
  })
})

test('a visitor who is not signed in is led to the sign-in, and a script gets a 401 with the words', async () => {
  const emulator = await emulated()
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const page = await sendFiles(emulator, browserOf(emulator), own, [file('a.jpg')])
  expect([page.status, page.location]).toEqual([303, './login'])
  const script = await sendFiles(emulator, browserOf(emulator), { ...own, ...asScript }, [file('a.jpg')])
  expect([script.status, JSON.parse(script.text)]).toEqual([401, { problem: 'Sign in to see this page.' }])
  expect(emulator.control.health().uploads).toBe(0)
})

test('more bytes than a form of files may have are refused in the site’s words', async () => {
  const { sendForm } = await uploadPage({ maxFileSizeBytes: 1_024 })
  const sent = await sendForm({}, file('a.jpg'), file('b.jpg', jpegBytes(1_200_000)))
  expect([sent.status, sent.text]).toEqual([413, expect.stringContaining('<h1>Too large</h1>')])
})

test('an upload on the site obeys the settings of the service', async () => {
  const { emulator, id, api, sendForm } = await uploadPage()
  emulator.control.settings.update({ title: 'filename', duplicate_content: 'same_slug', api_enabled: false })
  emulator.control.accounts.update(id, { suspended: true })
  for (const _ of [1, 2]) await sendForm({}, file('Ana și <i>.jpg'))
  emulator.control.settings.update({ api_enabled: true })
  emulator.control.accounts.update(id, { suspended: false })
  const { data } = await json(api('GET', '/api/uploads'))
  expect(data.map(({ title }) => title)).toEqual(['Ana și <i>.jpg'])
  expect((await json(send(emulator, 'GET', '/api/uploads'))).data).toEqual([])
})
