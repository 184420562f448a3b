import { expect, test } from 'vitest'
import { ownAccount, plain } from './own-account.ts'

const markup = '"><script>alert(1)</script>'
const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'

const slugsIn = (text: string) => [...text.matchAll(/<li><a href="\.\/i\/([^"]+)"/g)].map(([, slug]) => slug)

test('an account sees its own files, newest first, with what there is to know of them', async () => {
  const { emulator, browser, upload } = await ownAccount()
  emulator.control.accounts.addUploads(1, { count: 1 })
  const first = await upload(1_536)
  await emulator.control.clock.advance('1d')
  const second = await upload()
  await emulator.control.uploads.update(first.slug, { title: markup, views: 1_225, likes: 1 })
  const text = plain((await browser.get('/')).text)
  expect(slugsIn(text)).toEqual([second.slug, first.slug])
  expect([...text.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)).toEqual(['photo.jpg', escaped])
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('JPEG, 1.5 KB</span> <span>1,225 views</span> <span>1 like</span> <span>Jan 15, 2026')
  expect(text).toContain('2 files')
  const romanian = plain((await browser.get('/', { 'Accept-Language': 'ro' })).text)
  expect(romanian).toContain('<h1>Fișierele mele</h1>')
  expect(romanian).toContain('1.225 de vizualizări</span> <span>1 apreciere</span> <span>15 ian. 2026')
})

test('10,000 files are shown 50 a page, with links to the pages around', async () => {
  const { emulator, id, browser } = await ownAccount()
  emulator.control.accounts.addUploads(id, { count: 10_000, interval_seconds: 1 })
  const page = async (number: string) => (await browser.get(`/?page=${encodeURIComponent(number)}`)).text
  const [first, middle, last] = [(await browser.get('/')).text, await page('7'), await page('200')]
  expect([first, last].map((text) => slugsIn(text).length)).toEqual([50, 50])
  expect(first).toContain('10,000 files')
  expect(first).toContain('<a rel="next" href="./?page=2" class="button quiet">Next</a>')
  expect(middle).toMatch(/href="\.\/\?page=6"[\s\S]*Page 7 of 200[\s\S]*href="\.\/\?page=8"/)
  expect([first.includes('rel="prev"'), last.includes('rel="next"')]).toEqual([false, false])
  expect(slugsIn(await page('201'))).toEqual(slugsIn(last))
  for (const nonsense of ['0', '-1', 'x', '1e3', '99999999999999999999', '<b>']) {
    expect(slugsIn(await page(nonsense))).toEqual(slugsIn(first))
  }
})
