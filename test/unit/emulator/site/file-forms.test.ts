import { expect, test } from 'vitest'
import { json } from '../emulated.ts'
import { anotherAccount, ownAccount } from './own-account.ts'
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

test('spec 2.1, silence 9: the owner sets a title and clears it, the API shows it at once, and a refused one stays in the field', async () => {
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

test.each([
  [' <b>Raton & "Țuțu"</b> 🦝 ', '<b>Raton & "Țuțu"</b> 🦝'],
  [' \u200b ', null],
  ['🦝'.repeat(255), '🦝'.repeat(255)],
  ['🦝'.repeat(256), 'A title has at most 255 characters.'],
  ['\u009b2J', 'A title has one line, without control characters.'],
])('the title %j is saved as %j, or refused with it', async (title, outcome) => {
  const { browser, page, shown } = await withFile()
  const { status, text } = await browser.post(`${page}/title`, { title }, page)
  expect(status === 303 ? (await shown()).title : outcome).toBe(outcome)
  if (status !== 303) expect(text).toContain(outcome)
})

test('silence 35: a file is deleted behind a question, and then gone in the API and on the site', async () => {
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

test('the page after a visitor’s own form says once what was done, and counts no view', async () => {
  const { browser, page, shown } = await withFile()
  const titled = await browser.post(`${page}/title`, { title: 'Sea' }, page)
  expect((await shown()).views).toBe(1)
  expect((await titled.next()).text).toContain('The title is saved.')
  expect((await shown()).views).toBe(1)
  expect((await titled.next()).text).not.toContain('The title is saved.')
  expect((await shown()).views).toBe(2)
})

test('only the owner sees and uses the forms of the owner', async () => {
  const { emulator, browser, page, shown } = await withFile()
  const other = (await anotherAccount(emulator)).browser
  expect((await other.get(page)).text).not.toMatch(/\/title"|\/delete"/)
  expect((await other.get(`${page}/delete`)).status).toBe(404)
  expect((await other.send(`${page}/title`, { title: 'Theirs' })).status).toBe(404)
  expect((await other.send(`${page}/delete`, {})).status).toBe(404)
  expect((await shown()).title).toBeNull()
  expect((await browser.get(`${page}/title`)).location).toBe(`../..${page}`)
})

test('the forms of a file lead a visitor who is not signed in to the sign-in', async () => {
  const { emulator, page } = await withFile()
  const visitor = browserOf(emulator)
  for (const form of ['title', 'delete']) {
    const { location } = await visitor.send(`${page}/${form}`, { title: 'x' })
    expect(location).toMatch(/^\.\.\/\.\.\/login\?from=i%2F/)
  }
})

test('the embed code is the address of the embed page, as text', async () => {
  const { browser, slug, page } = await withFile({ siteUrl: 'https://files.example/base' })
  const { text } = await browser.get(page)
  expect(text).toContain(`&lt;iframe src=&quot;https://files.example/base/e/${slug}&quot; title=&quot;${slug}&quot;`)
})
