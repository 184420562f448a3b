import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { type FormPart, multipartForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'
import { ownAccount, plain } from './own-account.ts'
import { type Browser, browserOf, tokenOf } from './visitor.ts'

type Rig = Awaited<ReturnType<typeof ownAccount>>

const file = (fileName: string, content: Uint8Array | string = jpegBytes(100)): FormPart => ({
  name: 'files',
  fileName,
  content,
})

interface Sending {
  readonly browser: Browser
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends files to the site as a browser sends its form. */
async function sendFiles(
  { emulator }: Pick<Rig, 'emulator'>,
  { browser, token, headers }: Sending,
  ...files: readonly FormPart[]
) {
  const form = multipartForm(...(token === undefined ? [] : [{ name: 'token', content: token }]), ...files)
  const reply = await emulator.fetch(
    new Request('http://h/upload', {
      method: 'POST',
      redirect: 'manual',
      body: form.body,
      headers: { Cookie: browser.cookie(), ...form.headers, ...headers },
    }),
  )
  return { status: reply.status, location: reply.headers.get('Location'), text: plain(await reply.text()) }
}

const tokenFor = async (browser: Browser) => tokenOf(await browser.get('/'), '/upload')
const storedIn = ({ emulator }: Rig) => emulator.control.health().bytes_stored

test('files sent by the form are uploads at once, neither charged nor logged', async () => {
  const rig = await ownAccount({ quotas: { burst: 20, minute: 60, hour: 100, day: 100 } })
  const { browser, api, emulator, id } = rig
  const sent = await sendFiles(
    rig,
    { browser, token: await tokenFor(browser) },
    file('a.jpg'),
    file('b.jpg', jpegBytes(200)),
  )
  expect([sent.status, sent.location]).toEqual([303, './?message=uploaded'])
  expect((await browser.get('/?message=uploaded')).text).toContain('The upload is complete.')
  expect(emulator.control.requests.list().kept).toBe(0)
  expect(emulator.control.accounts.quota(id).day.used).toBe(0)
  const { data } = await json(api('GET', '/api/uploads'))
  expect(data.map(({ size, title, mime_type }) => [size, title, mime_type])).toEqual([
    [200, null, 'image/jpeg'],
    [100, null, 'image/jpeg'],
  ])
})

test('the first token of a form counts: a wrong one behind a file takes nothing back, a right one behind it gives nothing', async () => {
  const rig = await ownAccount()
  const token = await tokenFor(rig.browser)
  const late = (content: string) => ({ name: 'token', content })
  const stored = await sendFiles(rig, { browser: rig.browser, token }, file('a.jpg'), late('wrong'))
  expect([stored.status, storedIn(rig)]).toEqual([303, 100])
  const refused = await sendFiles(rig, { browser: rig.browser, token: 'wrong' }, file('a.jpg'), late(token))
  expect([refused.status, storedIn(rig)]).toEqual([419, 100])
})

test('a refused file is named with the reason in the visitor’s language, and the others are stored', async () => {
  const rig = await ownAccount({ maxFileSizeBytes: 1_024 })
  const { browser } = rig
  const token = await tokenFor(browser)
  const files = [file('good.jpg'), file('<b>.txt', 'text'), file('big.jpg', jpegBytes(1_025))]
  const english = await sendFiles(rig, { browser, token }, ...files)
  expect(english.status).toBe(200)
  expect(english.text).toContain('1 file is uploaded.')
  expect(english.text).toContain('&lt;b&gt;.txt: The service does not take files of this type.')
  expect(english.text).toContain('big.jpg: The file is larger than 1 KB.')
  const romanian = await sendFiles(rig, { browser, token, headers: { 'Accept-Language': 'ro' } }, ...files)
  expect(romanian.text).toContain('1 fișier a fost încărcat.')
  expect(romanian.text).toContain('&lt;b&gt;.txt: Serviciul nu acceptă fișiere de acest tip.')
  expect(romanian.text).toContain('big.jpg: Fișierul este mai mare de 1 KB.')
  expect(storedIn(rig)).toBe(200)
})

test('a form without a file asks for one', async () => {
  const rig = await ownAccount()
  const { browser } = rig
  const { status, text } = await sendFiles(rig, { browser, token: await tokenFor(browser) }, file('', ''))
  expect([status, text]).toEqual([200, expect.stringContaining('Choose a file first.')])
})

test('more files than one form may have are said to be left out', async () => {
  const rig = await ownAccount()
  const { browser } = rig
  const files = Array.from({ length: 22 }, (_, index) => file(`${index}.jpg`))
  const { status, text } = await sendFiles(rig, { browser, token: await tokenFor(browser) }, ...files)
  expect([status, text]).toEqual([200, expect.stringContaining('Only the first 20 files were read.')])
  expect(text).toContain('20 files are uploaded.')
})

test('a script that asks for JSON is answered with a link or the reason, file by file', async () => {
  const rig = await ownAccount()
  const { browser } = rig
  const token = await tokenFor(browser)
  const headers = { Accept: 'application/json' }
  const good = JSON.parse((await sendFiles(rig, { browser, token, headers }, file('a/b\\ă.jpg'))).text)
  expect(good).toEqual({ files: [{ name: 'ă.jpg', href: expect.stringMatching(/^\.\/i\/\w{10}$/) }] })
  const wrong = await sendFiles(
    rig,
    { browser, token, headers: { ...headers, 'Accept-Language': 'ro' } },
    file('x', 'x'),
  )
  expect(JSON.parse(wrong.text)).toEqual({
    files: [{ name: 'x', problem: 'Serviciul nu acceptă fișiere de acest tip.' }],
  })
})

test.each([
  ['with a wrong token', { token: 'made up' }, 419],
  ['without a token where the browser says nothing', {}, 419],
  ['of another port', { headers: { 'Sec-Fetch-Site': 'same-site' } }, 403],
  ['of another origin', { headers: { Origin: 'http://h:5000' } }, 403],
  ['whose token another origin has learned', { token: 'right', headers: { Origin: 'null' } }, 403],
])('a form %s stores nothing', async (_, { token, headers }: Omit<Sending, 'browser'>, status) => {
  const rig = await ownAccount()
  const { browser } = rig
  const given = token === 'right' ? await tokenFor(browser) : token
  const sent = await sendFiles(rig, { browser, token: given, ...(headers && { headers }) }, file('a.jpg'))
  expect(sent.status).toBe(status)
  expect([storedIn(rig), rig.emulator.control.health().uploads]).toEqual([0, 0])
})

test('a token behind the files comes too late', async () => {
  const rig = await ownAccount()
  const { browser } = rig
  const late = { name: 'token', content: await tokenFor(browser) }
  expect((await sendFiles(rig, { browser }, file('a.jpg'), late)).text).toContain('Choose a file first.')
  expect(storedIn(rig)).toBe(0)
})

test('a visitor who is not signed in is led to the sign-in, and a script gets a 401 with the words', async () => {
  const emulator = await emulated()
  const browser = browserOf(emulator)
  const own = { 'Sec-Fetch-Site': 'same-origin' }
  const page = await sendFiles({ emulator }, { browser, headers: own }, file('a.jpg'))
  expect([page.status, page.location]).toEqual([303, './login?message=needed'])
  const script = await sendFiles(
    { emulator },
    { browser, headers: { ...own, Accept: 'application/json' } },
    file('a.jpg'),
  )
  expect([script.status, JSON.parse(script.text)]).toEqual([401, { problem: 'Sign in to see this page.' }])
  expect(emulator.control.health().uploads).toBe(0)
})

test('more bytes than a form of files may have are refused in the site’s words', async () => {
  const rig = await ownAccount({ maxFileSizeBytes: 1_024 })
  const { browser } = rig
  const token = await tokenFor(browser)
  const sent = await sendFiles(rig, { browser, token }, file('a.jpg'), file('b.jpg', jpegBytes(1_200_000)))
  expect([sent.status, sent.text]).toEqual([413, expect.stringContaining('<h1>Too large</h1>')])
})

test('an upload on the site obeys the settings of the service', async () => {
  const rig = await ownAccount()
  const { browser, emulator, api } = rig
  emulator.control.settings.update({ title: 'filename', duplicate_content: 'same_slug', api_enabled: false })
  emulator.control.accounts.update(rig.id, { suspended: true })
  const token = await tokenFor(browser)
  for (let sent = 0; sent < 2; sent += 1) await sendFiles(rig, { browser, token }, file('Ana și <i>.jpg'))
  emulator.control.settings.update({ api_enabled: true })
  emulator.control.accounts.update(rig.id, { suspended: false })
  const { data } = await json(api('GET', '/api/uploads'))
  expect(data.map(({ title }) => title)).toEqual(['Ana și <i>.jpg'])
  expect((await json(send(emulator, 'GET', '/api/uploads'))).data).toEqual([])
})
