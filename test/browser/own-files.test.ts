import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { texts } from '../../emulator/site/texts/texts.ts'
import { createClient } from '../../src/index.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { browserTest } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

const test = browserTest.extend({ emulatorOptions: { maxFileSizeBytes: 1_048_576 } })
const { upload, file } = texts.en

/** What each line of the list of sent files says. */
const lines = (page: Page) => page.locator('#sending li').allTextContents()

async function send(page: Page, files: Parameters<Page['setInputFiles']>[1]): Promise<void> {
  await page.getByLabel(upload.choose).setInputFiles(files)
  await page.getByRole('button', { name: upload.submit, exact: true }).click()
}

test('files chosen with the button are sent one by one, and each says how it ended', async ({ page }) => {
  await signIn(page)
  await send(page, [mediaPath('photo.jpg'), mediaPath('README.md'), mediaPath('clip.webm')])
  await page.getByText(upload.sent).waitFor()
  await send(page, { name: 'big.jpg', mimeType: 'image/jpeg', buffer: jpegBytes(1_048_577) })
  expect(await lines(page)).toEqual([
    `photo.jpg${upload.done}`,
    `README.md${upload.problems['wrong-type']}`,
    `clip.webm${upload.done}`,
    `big.jpg${upload.tooLarge('1\u00a0MB')}`,
  ])
  await page.getByRole('link', { name: upload.done }).first().click()
  await page.getByRole('img', { name: file.image }).waitFor()
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
  await page.getByText(upload.sent).waitFor()
  expect(await lines(page)).toEqual(['dropped.jpgUploaded', 'liar.jpgThe service does not take files of this type.'])
  expect(emulator.control.health().uploads).toBe(1)
  await page.getByRole('link', { name: upload.showFiles }).click()
  expect(await page.locator('.files li').count()).toBe(1)
})

test('a file on its way, and one that waits, can be cancelled', async ({ page, emulator }) => {
  await signIn(page)
  let isHeld = true
  await page.route('**/upload', (route) => (isHeld ? undefined : route.continue()))
  await send(page, ['photo.jpg', 'clip.webm', 'picture.png'].map(mediaPath))
  expect((await lines(page)).at(-1)).toBe('picture.pngWaitingCancel')
  expect(await page.getByRole('progressbar').count()).toBe(2)
  for (const name of ['picture.png', 'photo.jpg', 'clip.webm']) {
    await page.getByRole('button', { name: `Cancel: ${name}` }).click()
  }
  expect(await lines(page)).toEqual(['photo.jpgCancelled', 'clip.webmCancelled', 'picture.pngCancelled'])
  isHeld = false
  await send(page, mediaPath('animation.gif'))
  await page.getByRole('link', { name: 'Uploaded' }).waitFor()
  expect(emulator.control.health().uploads).toBe(1)
})

test('a picture or a video, opened by itself, is shown: the browser blocks nothing of it', async (given) => {
  const { page, emulator, baseUrl } = given
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
