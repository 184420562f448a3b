import { expect, test } from 'vitest'
import { json } from '../emulated.ts'
import { anotherAccount, ownAccount, plain } from './own-account.ts'
import { browserOf } from './visitor.ts'

const markup = '<img src=x onerror=alert(1)> & "x"'
const escaped = '&lt;img src=x onerror=alert(1)&gt; &amp; &quot;x&quot;'

test('the owner sets a title and clears it, and the API shows it at once', async () => {
  const { browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  const shown = async () => (await json(api('GET', `/api/uploads/${slug}`))).upload.title
  const saved = await browser.post(`/i/${slug}/title`, { title: ` ${markup} ` }, `/i/${slug}`)
  expect([saved.status, saved.headers.get('Location')]).toEqual([303, `../../i/${slug}?message=titleSaved`])
  expect(await shown()).toBe(markup)
  const page = await browser.get(`/i/${slug}?message=titleSaved`)
  expect(page.text).toContain('The title is saved.')
  expect(page.text).toContain(`<h1>${escaped}</h1>`)
  expect(page.text).not.toContain('<img src=x')
  await browser.post(`/i/${slug}/title`, { title: '' }, `/i/${slug}`)
  expect(await shown()).toBeNull()
})

test.each([
  ['en', 'x'.repeat(256), 'A title has at most 255 characters.'],
  ['ro', 'a\u0007', 'Un titlu are un singur rând, fără caractere de control.'],
])('a refused title stays in the field, with the reason (%s)', async (language, title, reason) => {
  const { browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  await browser.post('/language', { language }, '/')
  const refused = await browser.post(`/i/${slug}/title`, { title }, `/i/${slug}`)
  expect(refused.status).toBe(200)
  expect(refused.text).toContain(reason)
  expect(refused.text).toContain(`value="${title}"`)
  expect((await json(api('GET', `/api/uploads/${slug}`))).upload.title).toBeNull()
})

test('a file is deleted behind a question, and then gone in the API and on the site', async () => {
  const { browser, api, upload, emulator } = await ownAccount()
  const { slug } = await upload()
  await emulator.control.uploads.update(slug, { title: markup })
  expect((await browser.get(`/i/${slug}`)).text).toContain(`href="../i/${slug}/delete"`)
  const question = await browser.get(`/i/${slug}/delete`)
  expect(question.text).toContain(`<h1>Delete ${escaped}?</h1>`)
  expect((await api('GET', `/api/uploads/${slug}`)).status).toBe(200)
  const gone = await browser.post(`/i/${slug}/delete`, {})
  expect([gone.status, gone.headers.get('Location')]).toEqual([303, '../../?message=deleted'])
  expect((await browser.get('/?message=deleted')).text).toContain('The file is deleted.')
  expect((await api('GET', `/api/uploads/${slug}`)).status).toBe(404)
  expect((await browser.get(`/i/${slug}`)).status).toBe(404)
  expect(emulator.control.health().bytes_stored).toBe(0)
})

test('a file that the API deletes is gone on the site at once', async () => {
  const { browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  await api('DELETE', `/api/uploads/${slug}`)
  expect((await browser.get('/')).text).toContain('No files yet.')
  expect((await browser.get(`/i/${slug}/delete`)).status).toBe(404)
})

test('a visitor who is signed in likes a file once and takes the like back', async () => {
  const { emulator, browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  const other = (await anotherAccount(emulator)).browser
  const likes = async () => (await json(api('GET', `/api/uploads/${slug}`))).upload.likes
  const like = (who: typeof browser, answer: string) => who.post(`/i/${slug}/like`, { like: answer }, `/i/${slug}`)
  await like(browser, 'yes')
  await like(browser, 'yes')
  await like(other, 'yes')
  expect(await likes()).toBe(2)
  expect((await other.get(`/i/${slug}`)).text).toContain('Take the like back')
  await like(other, 'no')
  await like(other, 'no')
  expect(await likes()).toBe(1)
  expect(plain((await browser.get('/')).text)).toContain('1 like ')
})

test('only the owner sees and uses the forms of the owner', async () => {
  const { emulator, browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  const other = (await anotherAccount(emulator)).browser
  const stranger = await other.get(`/i/${slug}`)
  expect(stranger.text).not.toMatch(/\/title"|\/delete"|\/album"/)
  expect((await other.get(`/i/${slug}/delete`)).status).toBe(404)
  const { text } = await other.get(`/i/${slug}`)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(text) ?? []
  for (const [form, fields, answer] of [
    ['title', { title: 'Theirs' }, '404'],
    ['delete', {}, '404'],
    ['album', { album: '1', do: 'add' }, 'This album no longer exists.'],
  ] as const) {
    const sent = await emulator.fetch(
      new Request(`http://h/i/${slug}/${form}`, {
        method: 'POST',
        headers: { Cookie: other.cookie() },
        body: new URLSearchParams({ token, ...fields }),
      }),
    )
    expect(`${sent.status} ${await sent.text()}`, form).toContain(answer)
  }
  expect((await json(api('GET', `/api/uploads/${slug}`))).upload.title).toBeNull()
  expect((await browser.get(`/i/${slug}`)).status).toBe(200)
})

test('the forms of a file lead a visitor who is not signed in to the sign-in', async () => {
  const { emulator, upload } = await ownAccount()
  const { slug } = await upload()
  const visitor = browserOf(emulator)
  expect((await visitor.get(`/i/${slug}`)).text).not.toContain('/like"')
  for (const form of ['title', 'like', 'album', 'delete']) {
    const sent = await emulator.fetch(
      new Request(`http://h/i/${slug}/${form}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ like: 'yes', title: 'x' }),
      }),
    )
    expect(sent.headers.get('Location')).toMatch(/^\.\.\/\.\.\/login\?message=needed/)
  }
})

test.each(['title', 'like', 'album'])(
  'the address of the form %s alone leads to the page of the file',
  async (form) => {
    const { browser, upload } = await ownAccount()
    const { slug } = await upload()
    expect((await browser.get(`/i/${slug}/${form}`)).headers.get('Location')).toBe(`../../i/${slug}`)
  },
)

test('a file is put into an album and taken out on its own page', async () => {
  const { emulator, id, browser, upload } = await ownAccount()
  const { slug } = await upload()
  emulator.control.accounts.update(id, { albums: 2 })
  const album = /<option value="(\d+)">Album 2/.exec((await browser.get(`/i/${slug}`)).text)?.[1] ?? ''
  await browser.post(`/i/${slug}/album`, { album, do: 'add' }, `/i/${slug}`)
  const inside = (await browser.get(`/i/${slug}?message=addedToAlbum`)).text
  expect(inside).toContain('The file is in the album.')
  expect(inside).toContain('aria-label="Take out of Album 2"')
  expect(inside).not.toContain(`<option value="${album}"`)
  await browser.post(`/i/${slug}/album`, { album, do: 'take' }, `/i/${slug}`)
  expect((await browser.get(`/albums/${album}`)).text).toContain('The album is empty.')
})

test('the embed code is the address of the embed page, as text', async () => {
  const { browser, upload } = await ownAccount({ siteUrl: 'https://files.example/base' })
  const { slug } = await upload()
  const { text } = await browser.get(`/i/${slug}`)
  expect(text).toContain(`&lt;iframe src=&quot;https://files.example/base/e/${slug}&quot; title=&quot;${slug}&quot;`)
})

test('a page of the site that a visitor fetches in advance, or only its head, is no view', async () => {
  const { emulator, upload } = await ownAccount()
  const { slug, url } = await upload()
  await emulator.fetch(new Request(url, { method: 'HEAD' }))
  await emulator.fetch(new Request(url, { headers: { 'Sec-Purpose': 'prefetch' } }))
  expect((await emulator.control.uploads.update(slug, {})).views).toBe(0)
})
