import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'

test('the language that a visitor chooses stays on every page, though the browser asks for another', async ({
  visitor,
}) => {
  const page = await visitor({ language: 'ro' })
  const language = () => page.locator('html').getAttribute('lang')
  await page.goto('/login')
  expect(await language()).toBe('ro')
  await page.getByRole('button', { name: 'English' }).click()
  expect(await language()).toBe('en')
  expect(new URL(page.url()).pathname).toBe('/login')
  await page.goto('/')
  expect(await language()).toBe('en')
  await page.getByRole('button', { name: 'Română' }).click()
  expect(await language()).toBe('ro')
})
