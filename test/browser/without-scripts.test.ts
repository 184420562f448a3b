import { expect } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { makeKey, signIn } from './harness/sign-in.ts'

// axe needs scripts, so these only use the forms.
test('without scripts a visitor signs in, chooses a language, and signs out', async ({ visitor }) => {
  const page = await visitor({ javaScript: false })
  await signIn(page)
  await page.getByRole('button', { name: 'Română' }).click()
  expect(await page.locator('html').getAttribute('lang')).toBe('ro')
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
})

test('without scripts an account makes a key, and saves addresses after the warning', async ({ visitor, baseUrl }) => {
  const page = await visitor({ javaScript: false })
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  await signIn(page)
  await page.goto('/cont/cheie-api')
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  const key = await makeKey(page)
  const status = async () => (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': key } })).status
  await page.getByLabel('Allowed addresses').fill('10.0.0.0/8')
  await save()
  expect(await status()).toBe(200)
  await page.getByLabel('Save anyway').check()
  await save()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(403)
  await page.getByRole('button', { name: 'Add my address' }).click()
  await save()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(200)
})

test('without scripts, files are uploaded several at once, get a title, and are deleted', async ({
  visitor,
  emulator,
}) => {
  const page = await visitor({ javaScript: false })
  const button = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await signIn(page)
  await page.getByLabel('Files to upload').setInputFiles(['photo.jpg', 'picture.png'].map(mediaPath))
  await button('Upload')
  await page.getByText('The upload is complete.').waitFor()
  expect(emulator.control.health().uploads).toBe(2)
  await page.locator('.files a').first().click()
  await page.getByLabel('Title').fill('<b>Raton</b>')
  await button('Save the title')
  await page.getByRole('heading', { name: '<b>Raton</b>' }).waitFor()
  await page.getByRole('link', { name: 'Delete this file…' }).click()
  await button('Delete')
  await page.getByText('The file is deleted.').waitFor()
  expect(emulator.control.health().uploads).toBe(1)
})
