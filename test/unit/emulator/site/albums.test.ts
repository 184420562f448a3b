import { expect, test } from 'vitest'
import { json } from '../emulated.ts'
import { anotherAccount, ownAccount } from './own-account.ts'
import type { Browser } from './visitor.ts'

const markup = '<b onclick="x">Vacanță & mare</b>'
const escaped = '&lt;b onclick=&quot;x&quot;&gt;Vacanță &amp; mare&lt;/b&gt;'

async function makeAlbum(browser: Browser, name = 'Sea'): Promise<string> {
  const { location } = await browser.post('/albums', { name })
  const [, path = ''] = /^\.\/(albums\/\d+)$/.exec(location ?? '') ?? []
  expect(path).not.toBe('')
  return `/${path}`
}

test('an album is made, renamed, filled, emptied and removed on the site, and the statistics follow', async () => {
  const { browser, api, upload } = await ownAccount()
  const [first, second] = [(await upload()).slug, (await upload()).slug]
  const count = async () => (await json(api('GET', '/api/stats'))).albums
  const album = await makeAlbum(browser, markup)
  expect(await count()).toBe(1)
  expect((await browser.get('/albums')).text).toContain(`<bdi>${escaped}</bdi></a> <small>0 files</small>`)
  const renamed = await (await browser.post(`${album}/name`, { name: 'Munte' }, album)).next()
  expect(renamed.text).toContain('The album has a new name.')
  const chooser = (await browser.get(`${album}/add`)).text
  expect(chooser).toContain('<h1>Add files to Munte</h1>')
  for (const slug of [first, second, first]) {
    expect(chooser).toContain(`name="file" value="${slug}"`)
    await browser.post(`${album}/add`, { file: slug })
  }
  expect((await browser.get(album)).text).toContain('2 files')
  expect((await browser.get('/albums')).text).toContain('"><span>JPEG</span><bdi>Munte</bdi></a> <small>2 files')
  await browser.post(`${album}/take`, { file: first }, album)
  expect((await browser.get(album)).text).not.toContain(`i/${first}"`)
  await browser.post(`${album}/take`, { all: 'yes' }, album)
  expect((await browser.get(album)).text).toContain('The album is empty.')
  expect((await browser.get(`${album}/remove`)).text).toContain('<h1>Remove “Munte”?</h1>')
  expect((await browser.post(`${album}/remove`, {})).location).toBe('../../albums')
  expect([await count(), (await browser.get(album)).status]).toEqual([0, 404])
  expect((await json(api('GET', '/api/stats'))).uploads).toBe(2)
})

test('a name that is refused is answered with the reason, both for a new album and for one that exists', async () => {
  const { browser } = await ownAccount()
  const album = await makeAlbum(browser)
  for (const path of ['/albums', `${album}/name`]) {
    expect((await browser.send(path, { name: 'x'.repeat(101) })).text).toContain('A name has at most 100 characters.')
  }
  expect((await browser.get(album)).text).toContain('<h1>Sea</h1>')
})

test('albums are shown 50 a page, a file’s page stays small, and beyond 10,000 there is no other', async () => {
  const { emulator, id, browser, upload } = await ownAccount()
  const page = `/i/${(await upload()).slug}`
  emulator.control.accounts.update(id, { albums: 10_000 })
  expect((await browser.get('/albums?page=3')).text.match(/<li><a href="\.\/albums\/\d+"/g)).toHaveLength(50)
  expect((await browser.get(page)).text.length).toBeLessThan(20_000)
  expect((await browser.post('/albums', { name: 'One more' })).text).toContain('An account has at most 10,000 albums.')
})

test('an album of another account is not found, and takes no file of another account', async () => {
  const { emulator, browser, upload } = await ownAccount()
  const { slug } = await upload()
  const album = await makeAlbum(browser)
  const other = (await anotherAccount(emulator)).browser
  const theirs = await makeAlbum(other)
  const refused = await other.send(`${theirs}/add`, { file: slug })
  expect(refused.text).toContain('One of the files no longer exists. Nothing was changed.')
  expect((await other.get(theirs)).text).toContain('The album is empty.')
  for (const end of ['', '/add', '/remove']) expect((await other.get(`${album}${end}`)).status).toBe(404)
  for (const end of ['/name', '/add', '/take', '/remove']) {
    expect((await other.send(`${album}${end}`, { name: 'Stolen', file: slug, all: 'yes' })).status).toBe(404)
  }
  expect((await browser.get(album)).text).toContain('<h1>Sea</h1>')
  for (const id of ['0', '99', '-1', '1e3', 'x', '9'.repeat(30), '%3Cb%3E']) {
    expect((await browser.get(`/albums/${id}`)).status).toBe(404)
  }
})
