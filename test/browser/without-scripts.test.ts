import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

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
  await signIn(page)
  await page.goto('/cont/cheie-api')
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  await page.getByLabel('Account password').fill('password')
  await page.getByRole('button', { name: /^Generate/ }).click()
  const key = (await page.locator('#api-key').textContent()) ?? ''
  const status = async () => (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': key } })).status
  expect(await status()).toBe(200)

  await page.getByLabel('Allowed addresses').fill('10.0.0.0/8')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByLabel('Save anyway').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(403)
  await page.getByRole('button', { name: 'Add my address' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The list is saved.').waitFor()
  expect(await status()).toBe(200)
})
