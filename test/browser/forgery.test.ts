import { createServer } from 'node:http'
import { expect } from 'vitest'
import { listening } from '../helpers/listening.ts'
import { tlsFiles } from '../helpers/tls.ts'
import { noBrowser, browserTest as test } from './harness/browser-test.ts'
import { makeKey, signIn } from './harness/sign-in.ts'

test.for(['127.0.0.1', 'localhost'])(
  'a form of another program on this machine (%s) makes no key and changes no list, though the browser may send the cookie',
  async (host, { browser, baseUrl, emulator, skip }) => {
    if (browser === null) return skip(noBrowser)
    const forms = `<!doctype html><title>Another program</title>
<form method="post" action="${baseUrl}/cont/cheie-api"><input name="password" value="password"><button>key</button></form>
<form method="post" action="${baseUrl}/cont/cheie-api/allowlist"><input name="addresses" value="10.0.0.0/8">
<button>list</button></form>`
    const port = await listening(
      createServer((_, response) => void response.setHeader('content-type', 'text/html').end(forms)),
    )
    const page = await browser.newPage({ baseURL: baseUrl, locale: 'en-GB' })
    await signIn(page)
    for (const name of ['key', 'list']) {
      await page.goto(`http://${host}:${port}/`)
      await page.getByRole('button', { name }).click()
      await page.getByText('This form was sent from another site, so nothing was changed.').waitFor()
    }
    expect(emulator.control.connection().api_key).toBe(emulator.apiKey)
    expect(emulator.control.accounts.get(1)).toMatchObject({ ip_allowlist: [] })
    await page.close()
  },
)

test('over TLS the browser keeps the cookies of the site, Secure and bound to their host', async ({
  browser,
  emulator,
  skip,
}) => {
  if (browser === null) return skip(noBrowser)
  const { baseUrl } = await emulator.listen({ tls: tlsFiles })
  const page = await browser.newPage({ baseURL: baseUrl, locale: 'en-GB', ignoreHTTPSErrors: true })
  await signIn(page)
  await page.goto('/cont/cheie-api')
  expect(await makeKey(page)).toMatch(/^\S{20,}$/)
  const [cookie, ...others] = await page.context().cookies()
  expect([cookie?.name, others]).toEqual([expect.stringMatching(/^__Host-/), []])
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Lax' })
  await page.close()
})
