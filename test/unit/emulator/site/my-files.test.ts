import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'
import { ownAccount, plain } from './own-account.ts'
import { browserOf } from './visitor.ts'

const markup = '"><script>alert(1)</script>'
const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'

const slugsIn = (text: string) => [...text.matchAll(/<li><a href="\.\/i\/([^"]+)"/g)].map(([, slug]) => slug)

test('an account sees its own files, newest first, with what there is to know of them', async () => {
  const { emulator, browser, upload } = await ownAccount({ clock: 'virtual' })
  emulator.control.accounts.addUploads(1, { count: 1 })
  const first = await upload(1_536)
  await emulator.control.clock.advance('1d')
  const second = await upload()
  await emulator.control.uploads.update(first.slug, { title: markup, views: 1_234, likes: 1 })
  const { text } = await browser.get('/')
  expect(slugsIn(text)).toEqual([second.slug, first.slug])
  expect(text).toContain(`<bdi>${escaped}</bdi>`)
  expect(text).not.toContain('<script>alert')
  expect(plain(text)).toContain('JPEG, 1.5 KB · 1,234 views · 1 like · Jan 15, 2026')
  expect(plain(text)).toContain('2 files')
})

test('the list of files is Romanian on request', async () => {
  const { browser, upload, emulator } = await ownAccount()
  const { slug } = await upload()
  await emulator.control.uploads.update(slug, { views: 25, likes: 3 })
  const { text } = await browser.get('/', { 'Accept-Language': 'ro' })
  expect(text).toContain('<h1>Fișierele mele</h1>')
  expect(plain(text)).toContain('25 de vizualizări · 3 aprecieri · 15 ian. 2026')
})

test('10,000 files are shown 50 a page, with links to the pages around', async () => {
  const { emulator, id, browser } = await ownAccount()
  emulator.control.accounts.addUploads(id, { count: 10_000, interval_seconds: 1 })
  const first = (await browser.get('/')).text
  expect(slugsIn(first)).toHaveLength(50)
  expect(first).toContain('10,000 files')
  expect(first).toContain('<a rel="next" href="./?page=2">Next</a>')
  expect(first).not.toContain('rel="prev"')
  const middle = (await browser.get('/?page=7')).text
  expect(middle).toContain('Page 7 of 200')
  expect([middle.includes('href="./?page=6"'), middle.includes('href="./?page=8"')]).toEqual([true, true])
  const last = (await browser.get('/?page=200')).text
  expect(slugsIn(last)).toHaveLength(50)
  expect(last).not.toContain('rel="next"')
  expect(slugsIn((await browser.get('/?page=201')).text)).toEqual(slugsIn(last))
  for (const nonsense of ['0', '-1', 'x', '1e3', '99999999999999999999', '<b>']) {
    const page = await browser.get(`/?page=${encodeURIComponent(nonsense)}`)
    expect([page.status, slugsIn(page.text)]).toEqual([200, slugsIn(first)])
  }
})

test('a page of 50 files with its stylesheet and script weighs 30 kB at most, and loads nothing from elsewhere', async () => {
  const { emulator, id, browser } = await ownAccount()
  emulator.control.accounts.addUploads(id, { count: 60, mime_type: 'image/webp', interval_seconds: 1 })
  const { text } = await browser.get('/', { 'Accept-Language': 'ro' })
  const loaded = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address)
  expect(loaded.filter((address) => !/^\.\/|^#main$/.test(address))).toEqual([])
  const assets = loaded.filter((address) => address.startsWith('./assets/'))
  expect(assets).toHaveLength(3)
  const sizes = await Promise.all(
    assets.map(async (path) => (await emulator.fetch(new Request(`http://h${path.slice(1)}`))).arrayBuffer()),
  )
  const weight = Buffer.byteLength(text) + sizes.reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(weight).toBeLessThanOrEqual(30_000)
})

test('files that lag their upload are missing on the site as in the API', async () => {
  const { emulator, browser, upload } = await ownAccount()
  emulator.control.settings.update({ visible_after_ms: 5_000 })
  const { slug } = await upload()
  expect(slugsIn((await browser.get('/')).text)).toEqual([])
  await emulator.control.clock.advance('5s')
  expect(slugsIn((await browser.get('/')).text)).toEqual([slug])
})

test('a visitor who is not signed in sees no files and no form to upload', async () => {
  const { text } = await browserOf(await emulated()).get('/')
  expect(text).not.toContain('type="file"')
})
