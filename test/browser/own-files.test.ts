import { expect } from 'vitest'
import { texts } from '../../emulator/site/texts/texts.ts'
import { createClient } from '../../src/index.ts'
import { mediaPath } from '../helpers/media.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

const { upload, file } = texts.en

test('files chosen with the button are stored, refused ones are named, and a file’s links are copied as fh writes them', async ({
  page,
  baseUrl,
}) => {
  await signIn(page)
  await page.getByLabel(upload.choose).setInputFiles(['photo.jpg', 'README.md'].map(mediaPath))
  await page.getByRole('button', { name: upload.submit, exact: true }).click()
  await page.getByText(`README.md: ${upload.problems['wrong-type']}`).waitFor()
  expect(await page.locator('.files li').count()).toBe(1)
  await page.locator('.files a').click()
  await page.getByRole('img', { name: file.image }).waitFor()
  await page.getByRole('button', { name: 'Copy: BBCode' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(new RegExp(`^\\[img\\]${baseUrl}/i/\\w{10}\\.jpg\\[/img\\]$`))
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
