import { createServer } from 'node:http'
import { expect } from 'vitest'
import { listening } from '../helpers/listening.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

test.for(['127.0.0.1', 'localhost'])(
  'a form of another program on this machine (%s) makes no key and changes no list, though the browser may send the cookie',
  async (host, { browser, baseUrl, emulator, skip }) => {
    if (browser === null) return skip('left out: this machine has no Chromium')
    const forms = `<!doctype html><title>Another program</title>
<form method="post" action="${baseUrl}/cont/cheie-api"><input name="password" value="password"><button>key</button></form>
<form method="post" action="${baseUrl}/cont/cheie-api/allowlist"><input name="addresses" value="10.0.0.0/8">
<input name="consent" value="yes"><button name="do" value="save">list</button></form>`
    const port = await listening(
      createServer((_, response) => void response.setHeader('content-type', 'text/html').end(forms)),
    )
    const context = await browser.newContext({ baseURL: baseUrl, locale: 'en-GB' })
    const page = await context.newPage()
    await signIn(page)
    for (const name of ['key', 'list']) {
      await page.goto(`http://${host}:${port}/`)
      await page.getByRole('button', { name }).click()
      await page.getByText('This form was sent from another site, so nothing was changed.').waitFor()
    }
    expect(emulator.control.connection().api_key).toBe(emulator.apiKey)
    expect(emulator.control.accounts.get(1)).toMatchObject({ ip_allowlist: [] })
    await context.close()
  },
)

test('a form that was made for one session changes nothing in another', async ({ page, visitor, emulator }) => {
  await signIn(page)
  await page.goto('/cont/cheie-api')
  const form = await page.locator('form:has([name=addresses]) [name=token]').getAttribute('value')
  const other = await visitor()
  await signIn(other)
  await other.goto('/cont/cheie-api')
  await other.evaluate(`document.querySelector('form:has([name=addresses]) [name=token]').value = '${form}'`)
  await other.getByLabel('Allowed addresses').fill('127.0.0.1')
  await other.getByRole('button', { name: 'Save', exact: true }).click()
  await other.getByText('Nothing was changed.').waitFor()
  expect(emulator.control.accounts.get(1)).toMatchObject({ ip_allowlist: [] })
})
