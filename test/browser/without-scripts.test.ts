import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { makeKey, signIn } from './harness/sign-in.ts'

// axe needs scripts, so this only uses the forms.
test('spec 1: without scripts an account makes a key and saves addresses', async ({ visitor, baseUrl }) => {
  const page = await visitor({ javaScript: false })
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  await signIn(page)
  await page.goto('/cont/cheie-api')
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  const key = await makeKey(page)
  const status = async () => (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': key } })).status
  await page.getByLabel('Allowed addresses').fill('10.0.0.0/8')
  await save()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(403)
  await page.getByLabel('Allowed addresses').fill('127.0.0.1\n::1')
  await save()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(200)
})
