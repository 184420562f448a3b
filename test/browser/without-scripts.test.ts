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
