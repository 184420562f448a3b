import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { expectGood } from './harness/page-checks.ts'
import { makeKey, signIn } from './harness/sign-in.ts'

test('spec 1: from the sign-in to a 401 of the old key: a new key works at once, is shown once and never again', async ({
  page,
  emulator,
  baseUrl,
}) => {
  const statusWith = async (key: string) =>
    (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': key } })).status
  await signIn(page)
  await page.goto('/cont/cheie-api')
  // The two clicks of a double click make one key.
  const key = await makeKey(page)
  expect(key).toMatch(/^\S{20,}$/)
  await expectGood(page)
  expect([await statusWith(key), await statusWith(emulator.apiKey)]).toEqual([200, 401])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key)

  const isGone = async () => {
    expect(await page.locator('#api-key').count()).toBe(0)
    expect(await page.content()).not.toContain(key)
  }
  await page.reload()
  await isGone()
  await page.goto('/')
  await page.goBack()
  await isGone()
  await page.goBack()
  await isGone()
})

test('a page that the browser may keep to go back to no longer has the key', async ({ page }) => {
  await signIn(page)
  await page.goto('/cont/cheie-api')
  expect(await makeKey(page)).toMatch(/^\S{20,}$/)
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
  expect(await page.locator('#api-key').textContent()).toBe('')
})
