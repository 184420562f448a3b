import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Texts, texts } from '../../emulator/site/texts/texts.ts'
import { createClient } from '../../src/index.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { browserTest, type Visit } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'
import { signIn } from './harness/sign-in.ts'

const test = browserTest.extend({ emulatorOptions: { maxFileSizeBytes: 1_048_576 } })

/** What each line of the list of sent files says. */
const lines = (page: Page) => page.locator('#sending li').allTextContents()

const send = (page: Page, { upload }: Texts, files: Parameters<Page['setInputFiles']>[1]) =>
  page
    .getByLabel(upload.choose)
    .setInputFiles(files)
    .then(() => page.getByRole('button', { name: upload.submit, exact: true }).click())

const big = { name: 'big.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(jpegBytes(1_048_577)) }

test('files chosen with the button are sent one by one, and each says how it ended', async ({ visitor }) => {
  for (const language of ['en', 'ro'] as const) {
    const say = texts[language]
    const page = await visitor({ language })
    await signIn(page, undefined, language)
    await send(page, say, [mediaPath('photo.jpg'), mediaPath('README.md'), mediaPath('clip.webm')])
    await page.getByText(say.upload.sent).waitFor()
    expect(await lines(page)).toEqual([
      `photo.jpg${say.upload.done}`,
      `README.md${say.upload.problems['wrong-type']}`,
      `clip.webm${say.upload.done}`,
    ])
    await send(page, say, [big])
    expect((await lines(page)).at(-1)).toBe(`big.jpg${say.upload.tooLarge('1\u00a0MB')}`)
    await page.getByRole('link', { name: say.upload.done }).first().click()
    await page.getByRole('img', { name: say.file.image }).waitFor()
  }
})

test('files dropped on the page are uploaded, and the service judges what the browser does not know', async ({
  page,
  emulator,
}) => {
  await signIn(page)
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    const add = (content, name) => transfer.items.add(new File([content], name, { type: 'image/jpeg' }))
    add(new Uint8Array([${jpegBytes(500).join()}]), 'dropped.jpg')
    add('no picture', 'liar.jpg')
    return transfer
  })()`)
  await page.dispatchEvent('main', 'dragover', { dataTransfer: dropped })
  await page.dispatchEvent('main', 'drop', { dataTransfer: dropped })
  await page.getByText(texts.en.upload.sent).waitFor()
  expect(await lines(page)).toEqual(['dropped.jpgUploaded', 'liar.jpgThe service does not take files of this type.'])
  expect(emulator.control.health().uploads).toBe(1)
  await page.getByRole('link', { name: texts.en.upload.showFiles }).click()
  expect(await page.locator('.files li').count()).toBe(1)
})

test('the embed code is copied with a button', async ({ page, emulator, baseUrl }) => {
  const [slug] = emulator.control.accounts.addUploads(1, { count: 1, mime_type: 'video/mp4' }).slugs
  await page.route('**/i/*.mp4*', (route) => route.fulfill({ status: 200, contentType: 'video/mp4', body: '' }))
  await page.goto(`/i/${slug}`)
  await page.getByRole('button', { name: texts.en.file.copy }).click()
  await page.getByText(texts.en.file.copied, { exact: true }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`<iframe src="${baseUrl}/e/${slug}"`)
})

test('a file on its way, and one that waits, can be cancelled', async ({ page, emulator }) => {
  await signIn(page)
  let isHeld = true
  await page.route('**/upload', (route) => (isHeld ? undefined : route.continue()))
  await send(page, texts.en, ['photo.jpg', 'clip.webm', 'picture.png'].map(mediaPath))
  expect((await lines(page)).at(-1)).toBe('picture.pngWaitingCancel')
  expect(await page.getByRole('progressbar').count()).toBe(2)
  for (const name of ['picture.png', 'photo.jpg', 'clip.webm']) {
    await page.getByRole('button', { name: `Cancel: ${name}` }).click()
  }
  expect(await lines(page)).toEqual(['photo.jpgCancelled', 'clip.webmCancelled', 'picture.pngCancelled'])
  isHeld = false
  await send(page, texts.en, [mediaPath('animation.gif')])
  await page.getByRole('link', { name: 'Uploaded' }).waitFor()
  expect(emulator.control.health().uploads).toBe(1)
})

test('without JavaScript, files are uploaded several at once, get a title, a like and an album, and are deleted', async ({
  visitor,
  emulator,
}) => {
  const page = await visitor({ javaScript: false })
  const button = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await signIn(page)
  await send(page, texts.en, ['photo.jpg', 'picture.png'].map(mediaPath))
  await page.getByText('The upload is complete.').waitFor()
  expect(emulator.control.health().uploads).toBe(2)
  await page.getByRole('link', { name: 'Albums' }).click()
  await page.getByLabel('Name of the album').fill('Sea & <sand>')
  await button('Make an album')
  await page.getByRole('link', { name: 'Add files' }).click()
  await page.getByRole('checkbox').first().check()
  await button('Add the chosen files')
  await page.locator('.files a').first().click()
  await page.getByLabel('Title').fill('<b>Raton</b>')
  await button('Save the title')
  await page.getByRole('heading', { name: '<b>Raton</b>' }).waitFor()
  await button('Like')
  await button('Take the like back')
  await button('Take out of Sea & <sand>')
  await page.getByText('The file is no longer in the album.').waitFor()
  await page.getByRole('link', { name: 'Delete this file…' }).click()
  await button('Delete')
  await page.getByText('The file is deleted.').waitFor()
  expect(emulator.control.health().uploads).toBe(1)
})

test.for<Visit>([
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'ro', theme: 'dark', width: 360 },
])('the pages of files and albums are accessible and fit the screen: %o', async (visit, { visitor, emulator }) => {
  const { language = 'en' } = visit
  const say = texts[language]
  const page = await visitor(visit)
  const check = async () => {
    await expectNoSideScroll(page)
    await expectAccessible(page)
  }
  await signIn(page, undefined, language)
  await send(page, say, [mediaPath('photo.jpg'), mediaPath('README.md')])
  await page.getByText(say.upload.sent).waitFor()
  await check()
  emulator.control.accounts.addUploads(1, { count: 60 })
  const [upload] = emulator.control.accounts.addUploads(1, { count: 1 }).slugs
  await emulator.control.uploads.update(upload ?? '', { title: 'Unbreakable'.repeat(20), likes: 1_000_000 })
  emulator.control.accounts.update(1, { albums: 1 })
  await page.goto('/albums')
  await page.getByRole('link', { name: 'Album 1' }).click()
  const album = new URL(page.url()).pathname
  await page.goto(`${album}/add?page=2`)
  await check()
  await page.getByRole('checkbox').last().check()
  await page.getByRole('button', { name: say.albums.addChosen }).click()
  await check()
  for (const path of ['/', '/feed', '/albums', `${album}/remove`, `/i/${upload}`, `/i/${upload}/delete`]) {
    await page.goto(path)
    await check()
  }
})

test('a picture and a video that are opened by themselves are shown, and the browser blocks nothing of them', async ({
  page,
  emulator,
  baseUrl,
}) => {
  const client = createClient({ baseUrl, apiKey: emulator.apiKey, pacing: false })
  for (const [file, element] of [
    ['photo.jpg', 'img'],
    ['clip.webm', 'video'],
  ] as const) {
    const { direct_url } = await client.upload(mediaPath(file))
    await page.goto(direct_url)
    await page.waitForFunction(`(() => {
      const shown = document.querySelector('${element}')
      return (shown.naturalWidth || shown.videoWidth) > 0
    })()`)
  }
  await client.close()
})
