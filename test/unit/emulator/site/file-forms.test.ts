import { expect, test } from 'vitest'
import { json } from '../emulated.ts'
import { anotherAccount, ownAccount, plain } from './own-account.ts'
import { browserOf } from './visitor.ts'

const markup = '<img src=x onerror=alert(1)> & "x"'
const escaped = '&lt;img src=x onerror=alert(1)&gt; &amp; &quot;x&quot;'

async function withFile(options = {}) {
  const own = await ownAccount(options)
  const { slug } = await own.upload()
  const page = `/i/${slug}`
  const shown = async () => (await json(own.api('GET', `/api/uploads/${slug}`))).upload
  return { ...own, slug, page, shown }
}

test('the owner sets a title and clears it, the API shows it at once, and a refused one stays in the field', async () => {
  const { browser, page, shown } = await withFile()
  const saved = await browser.post(`${page}/title`, { title: ` ${markup} ` }, page)
  expect([saved.status, saved.location]).toEqual([303, `../..${page}`])
  expect((await shown()).title).toBe(markup)
  const { text } = await saved.next()
  expect(text).toContain('The title is saved.')
  expect(text).toContain(`<h1>${escaped}</h1>`)
  expect(text).not.toContain('<img src=x')
  await browser.post(`${page}/title`, { title: '' }, page)
  const title = 'x'.repeat(256)
  const refused = await browser.post(`${page}/title`, { title }, page)
  expect(refused.text).toContain('A title has at most 255 characters.')
  expect(refused.text).toContain(`value="${title}"`)
  expect((await shown()).title).toBeNull()
})

test('a file is deleted behind a question, and then gone in the API and on the site', async () => {
  const { browser, api, slug, page, emulator } = await withFile()
  await emulator.control.uploads.update(slug, { title: markup })
  expect((await browser.get(page)).text).toContain(`href="..${page}/delete"`)
  expect((await browser.get(`${page}/delete`)).text).toContain(`<h1>Delete “${escaped}”?</h1>`)
  expect((await api('GET', `/api/uploads/${slug}`)).status).toBe(200)
  const gone = await browser.post(`${page}/delete`, {})
  expect([gone.status, gone.location]).toEqual([303, '../../'])
  expect((await gone.next()).text).toContain('The file is deleted.')
  expect((await api('GET', `/api/uploads/${slug}`)).status).toBe(404)
  expect((await browser.get(page)).status).toBe(404)
  expect(emulator.control.health().bytes_stored).toBe(0)
})

test('a visitor who is signed in likes a file once and takes the like back', async () => {
  const { emulator, browser, page, shown } = await withFile()
  const other = (await anotherAccount(emulator)).browser
  for (const liking of [browser, browser, other]) await liking.post(`${page}/like`, { like: 'yes' }, page)
  expect((await shown()).likes).toBe(2)
  expect((await other.get(page)).text).toContain('Take the like back')
  for (const _ of [1, 2]) await other.post(`${page}/like`, { like: 'no' }, page)
  expect((await shown()).likes).toBe(1)
  expect(plain((await browser.get('/')).text)).toContain('<span>1 like</span>')
})

test('the page after a visitor’s own form says once what was done, counts no view, and after a like stays at the button', async () => {
  const { browser, page, shown } = await withFile()
  const liked = await browser.post(`${page}/like`, { like: 'yes' }, page)
  const titled = await browser.post(`${page}/title`, { title: 'Sea' }, page)
  expect([(await shown()).views, liked.location]).toEqual([2, `../..${page}#like`])
  expect((await liked.next()).text).toContain('id="like"')
  expect((await titled.next()).text).toContain('The title is saved.')
  expect((await shown()).views).toBe(2)
  expect((await titled.next()).text).not.toContain('The title is saved.')
  expect((await shown()).views).toBe(3)
})

test('only the owner sees and uses the forms of the owner', async () => {
  const { emulator, browser, page, shown } = await withFile()
  const other = (await anotherAccount(emulator)).browser
  expect((await other.get(page)).text).not.toMatch(/\/title"|\/delete"|\/album"/)
  expect((await other.get(`${page}/delete`)).status).toBe(404)
  expect((await other.send(`${page}/title`, { title: 'Theirs' })).status).toBe(404)
  expect((await other.send(`${page}/delete`, {})).status).toBe(404)
  expect((await other.send(`${page}/album`, { album: '1', do: 'add' })).text).toContain('This album no longer exists.')
  expect((await shown()).title).toBeNull()
  for (const form of ['title', 'like', 'album']) {
    expect((await browser.get(`${page}/${form}`)).location).toBe(`../..${page}`)
  }
})

test('the forms of a file lead a visitor who is not signed in to the sign-in', async () => {
  const { emulator, page } = await withFile()
  const visitor = browserOf(emulator)
  expect((await visitor.get(page)).text).not.toContain('/like"')
  for (const form of ['title', 'like', 'album', 'delete']) {
    const { location } = await visitor.send(`${page}/${form}`, { like: 'yes', title: 'x' })
    expect(location).toMatch(/^\.\.\/\.\.\/login\?from=i%2F/)
  }
})

test('a file is put into an album and taken out on its own page', async () => {
  const { emulator, id, browser, page } = await withFile()
  emulator.control.accounts.update(id, { albums: 2 })
  const album = /<option value="(\d+)">Album 2/.exec((await browser.get(page)).text)?.[1] ?? ''
  const inside = (await (await browser.post(`${page}/album`, { album, do: 'add' }, page)).next()).text
  expect(inside).toContain('The file is in the album.')
  expect(inside).toContain('aria-label="Take out of Album 2"')
  expect(inside).not.toContain(`<option value="${album}"`)
  await browser.post(`${page}/album`, { album, do: 'take' }, page)
  expect((await browser.get(`/albums/${album}`)).text).toContain('The album is empty.')
})

test('the embed code is the address of the embed page, as text', async () => {
  const { browser, slug, page } = await withFile({ siteUrl: 'https://files.example/base' })
  const { text } = await browser.get(page)
  expect(text).toContain(`&lt;iframe src=&quot;https://files.example/base/e/${slug}&quot; title=&quot;${slug}&quot;`)
})
