import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { texts } from '../../emulator/site/texts/language.ts'
import { createClient } from '../../src/index.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { browserTest, noBrowser } from './harness/browser-test.ts'
import { isFirefox } from './harness/firefox.ts'
import { signIn } from './harness/sign-in.ts'

const test = browserTest.extend({ emulatorOptions: { maxFileSizeBytes: 1_048_576 } })
const { upload, file } = texts.en

/** What each line of the list of sent files says. */
const lines = (page: Page) => page.locator('#rows li').allTextContents()

async function send(page: Page, files: Parameters<Page['setInputFiles']>[1]): Promise<void> {
  await page.getByLabel(upload.choose).setInputFiles(files)
  await page.getByRole('button', { name: upload.submit, exact: true }).click()
}

test('chosen files are sent one by one and counted, and links are as fh writes them', async ({ page, baseUrl }) => {
  await signIn(page)
  const big = { name: 'big.jpg', mimeType: 'image/jpeg', buffer: jpegBytes(1_048_577) }
  await send(page, ['photo.jpg', 'README.md', 'clip.webm'].map(mediaPath))
  await page.getByText('2 of 3 uploaded, 1 refused').waitFor()
  await send(page, [big, { ...big, name: 'empty.jpg', buffer: Buffer.alloc(0) }])
  await page.getByText('2 of 5 uploaded, 3 refused').waitFor()
  expect(await lines(page)).toEqual([
    'photo.jpgUploadedCopy',
    `README.md${upload.problems['wrong-type']}`,
    'clip.webmUploadedCopy',
    `big.jpg${upload.tooLarge('1\u00a0MB')}`,
    'empty.jpgThe file is empty.',
  ])
  await expect.poll(() => page.locator('.files li').count()).toBe(2)
  const copied = async (button: string) => {
    await page.getByRole('button', { name: button }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  const photo = await copied('Copy: photo.jpg')
  expect(photo).toMatch(`${baseUrl}/i/`)
  await page.getByRole('link', { name: upload.done }).first().click()
  await page.getByRole('img', { name: file.image }).waitFor()
  expect(await copied('Copy: BBCode')).toBe(`[img]${photo}.jpg[/img]`)
})

test('files dropped or pasted are uploaded, and the service judges what the browser cannot', async ({ page }) => {
  await signIn(page)
  const given = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    const add = (content, name) => transfer.items.add(new File([content], name, { type: 'image/jpeg' }))
    add(new Uint8Array([${jpegBytes(500).join()}]), 'dropped.jpg')
    add('no picture', '<b>liar</b>.jpg')
    window.given = transfer
    return transfer
  })()`)
  await page.dispatchEvent('main', 'dragover', { dataTransfer: given })
  const frame = () => page.evaluate("getComputedStyle(document.body, '::after').content")
  expect(await frame()).toMatch(/^("Drop the files to upload them"|attr\(data-drop\))$/)
  await page.dispatchEvent('main', 'drop', { dataTransfer: given })
  await page.getByText('1 of 2 uploaded, 1 refused').waitFor()
  expect(await frame()).toBe('none')
  // Only a person can paste there: an event that a script makes brings no file.
  if (isFirefox) return
  await page.evaluate(
    "document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: given, cancelable: true })), 0",
  )
  await page.getByText('2 of 4 uploaded, 2 refused').waitFor()
  expect((await lines(page)).at(-1)).toBe('<b>liar</b>.jpgThe service does not take files of this type.')
})

test('leaving files on their way is asked about', async ({ page, emulator }) => {
  await signIn(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/upload', (route) => held.then(() => route.continue()))
  await send(page, ['photo.jpg', 'clip.webm', 'picture.png'].map(mediaPath))
  expect((await lines(page)).at(-1)).toBe('picture.pngWaiting')
  expect(await page.getByRole('progressbar').count()).toBe(1)
  const asked = page.waitForEvent('dialog')
  const left = page.getByRole('link', { name: 'API key' }).click()
  await (await asked).dismiss()
  await left.catch(() => {})
  release()
  await page.getByText('3 of 3 uploaded').waitFor()
  expect(emulator.control.health().uploads).toBe(3)
  await page.getByRole('link', { name: 'API key' }).click()
  await page.getByRole('heading', { name: 'API key' }).waitFor()
})

test('a file that was refused is sent again after a sign-in elsewhere', async ({ browser, baseUrl, skip }) => {
  if (browser === null) return skip(noBrowser)
  const page = await browser.newPage({ baseURL: baseUrl, locale: 'en-GB' })
  await signIn(page)
  await page.context().clearCookies()
  const [wait, once] = [{ 'Retry-After': '30' }, { times: 1 }]
  await page.route('**/upload', (route) => route.abort(), once)
  await page.route('**/upload', (route) => route.fulfill({ status: 503, headers: wait }), once)
  await send(page, mediaPath('photo.jpg'))
  const retry = page.getByRole('button', { name: 'Try again: photo.jpg' })
  await page.getByText('The service takes no files now. Try again in 30 s.').waitFor()
  await retry.click()
  await page.getByText(upload.failed).waitFor()
  await retry.click()
  await page.getByText(texts.en.login.needed).waitFor()
  const opened = page.context().waitForEvent('page')
  await page.locator('#rows').getByRole('link', { name: 'Sign in' }).click()
  const elsewhere = await opened
  await elsewhere.waitForLoadState()
  await signIn(elsewhere)
  await retry.click()
  await page.getByText('1 of 1 uploaded').waitFor()
  await page.context().close()
})

test('a picture or a video, opened by itself, is shown: the browser blocks nothing of it', async ({
  page,
  emulator,
  baseUrl,
}) => {
  const client = createClient({ baseUrl, apiKey: emulator.apiKey, pacing: false })
  for (const [name, width] of [
    ['photo.jpg', 'img").naturalWidth'],
    ['clip.webm', 'video").videoWidth'],
  ] as const) {
    await page.goto((await client.upload(mediaPath(name))).direct_url)
    await page.waitForFunction(`document.querySelector("${width} > 0`)
  }
  await client.close()
})
