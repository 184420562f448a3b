import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'
import { signIn } from './harness/sign-in.ts'

const keyPage = '/cont/cheie-api'

async function generateKey(page: Page, password = 'password'): Promise<void> {
  await page.getByLabel('Account password').fill(password)
  await page.getByRole('button', { name: /^Generate a (new )?key|^Generate key/ }).click()
}

/** The status of a call with a key, from the network. */
async function statusWith(baseUrl: string, key: string): Promise<number> {
  return (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': key } })).status
}

test('from the sign-in to a 401 of the old key: a new key works at once, is shown once and never again', async ({
  page,
  emulator,
  baseUrl,
}) => {
  await page.goto(keyPage)
  expect(new URL(page.url()).pathname).toBe('/login')
  await page.getByLabel('Email', { exact: true }).fill('user@example.com')
  await page.getByLabel('Password', { exact: true }).fill('password')
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.goto(keyPage)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('API key')
  expect(await statusWith(baseUrl, emulator.apiKey)).toBe(200)

  await generateKey(page)
  const key = (await page.locator('#api-key').textContent()) ?? ''
  expect(key).toMatch(/^\S{20,}$/)
  await expectAccessible(page)
  expect(await statusWith(baseUrl, key)).toBe(200)
  expect(await statusWith(baseUrl, emulator.apiKey)).toBe(401)
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
  expect(JSON.stringify(await emulator.control.state.get())).not.toContain(key)
  expect(JSON.stringify(emulator.control.requests.list())).not.toContain(key)
})

test('a page that the browser may keep to go back to no longer has the key', async ({ page }) => {
  await signIn(page)
  await page.goto(keyPage)
  await generateKey(page)
  expect(await page.locator('#api-key').textContent()).toMatch(/^\S{20,}$/)
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
  expect(await page.locator('#api-key').textContent()).toBe('')
})

test('a wrong password makes no key and says so beside the field', async ({ page, emulator, baseUrl }) => {
  await signIn(page)
  await page.goto(keyPage)
  await generateKey(page, 'wrong')
  await page.getByText(/wrong/i).first().waitFor()
  await expectAccessible(page)
  expect(await page.locator('#api-key').count()).toBe(0)
  expect(await statusWith(baseUrl, emulator.apiKey)).toBe(200)
})

test('the list of allowed addresses asks before it locks its editor out, does so then, and lets them in again', async ({
  page,
  emulator,
  baseUrl,
}) => {
  await signIn(page)
  await page.goto(keyPage)
  const addresses = page.getByLabel('Allowed addresses')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await addresses.fill('10.0.0.0/8')
  await save.click()
  const anyway = page.getByRole('checkbox')
  await anyway.waitFor()
  await expectAccessible(page)
  expect(await addresses.inputValue()).toBe('10.0.0.0/8')
  expect(await statusWith(baseUrl, emulator.apiKey)).toBe(200)

  await anyway.check()
  await save.click()
  await expect.poll(() => statusWith(baseUrl, emulator.apiKey)).toBe(403)
  await page.goto(keyPage)
  await addresses.fill('')
  await save.click()
  await expect.poll(() => statusWith(baseUrl, emulator.apiKey)).toBe(200)
})

test('two clicks on the button make one key, and the page shows it', async ({ page, emulator, baseUrl }) => {
  await signIn(page)
  await page.goto(keyPage)
  await page.getByLabel('Account password').fill('password')
  await page.getByRole('button', { name: /^Generate/ }).dblclick()
  const key = (await page.locator('#api-key').textContent()) ?? ''
  expect(await statusWith(baseUrl, key)).toBe(200)
  expect(await statusWith(baseUrl, emulator.apiKey)).toBe(401)
})

test('five wrong passwords a minute make the sixth try wait, even with the right one', async ({ page, emulator }) => {
  await signIn(page)
  await page.goto(keyPage)
  for (let sent = 0; sent < 5; sent++) {
    await generateKey(page, `wrong ${sent}`)
    await page.getByText('The password is wrong.').waitFor()
  }
  await generateKey(page)
  await page.getByText('Too many attempts').waitFor()
  expect(await page.locator('#api-key').count()).toBe(0)
  await expectAccessible(page)
  await emulator.control.clock.advance('1m')
  await generateKey(page)
  await page.locator('#api-key').waitFor()
})

test('a suspended account, and one whose API is switched off, reads why in the words of the service', async ({
  page,
  emulator,
}) => {
  const reason = '<b>Prea multe</b> cereri & "abuz"'
  emulator.control.accounts.update(1, { suspended: true, suspension_reason: reason })
  emulator.control.settings.update({ api_enabled: false })
  await signIn(page)
  await page.goto(keyPage)
  await page.getByText(reason).waitFor()
  await page.getByText('API temporarily disabled.').waitFor()
  await expectAccessible(page)
})

test.for(['light', 'dark'] as const)('the key page fits a phone, in Romanian, %s', async (theme, { visitor }) => {
  const page = await visitor({ language: 'ro', theme, width: 360 })
  await signIn(page, undefined, 'ro')
  await page.goto(keyPage)
  expect(await page.locator('html').getAttribute('lang')).toBe('ro')
  await expectNoSideScroll(page)
  await expectAccessible(page)
})
