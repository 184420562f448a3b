import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'
import { troublesOf } from './harness/troubles.ts'

/** Runs `fh emulate` until `stop`. */
async function emulate(rig: Awaited<ReturnType<typeof createRig>>, ...flags: readonly string[]) {
  const running = rig.start(['emulate', '--json', ...flags])
  const { base_url: baseUrl } = JSON.parse(await running.printed('stdout', /\n/))
  const stop = async () => {
    running.child.kill('SIGTERM')
    await running.ended
  }
  return { baseUrl: baseUrl as string, stop }
}

async function newKey(page: Page): Promise<string> {
  await page.goto('/cont/cheie-api')
  await page.getByLabel('Account password').fill('password')
  await page.getByRole('button', { name: /^Generate/ }).click()
  return (await page.locator('#api-key').textContent()) ?? ''
}

test('with fh emulate --data an account makes a key, and both it and the session outlast a restart', async ({
  browser,
  skip,
}) => {
  if (browser === null) return skip('left out: this machine has no Chromium')
  const rig = await createRig()
  const { baseUrl, stop } = await emulate(rig, '--data', 'data', '--port', '0', '--api-key', 'old-key')
  const context = await browser.newContext({ baseURL: baseUrl, locale: 'en-GB' })
  const troubles = troublesOf(context, baseUrl)
  const page = await context.newPage()
  await signIn(page)
  const key = await newKey(page)
  const status = async (given: string) =>
    (await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': given } })).status
  expect([await status(key), await status('old-key')]).toEqual([200, 401])
  await stop()

  const again = await emulate(rig, '--data', 'data', '--port', new URL(baseUrl).port)
  await page.goto('/cont/cheie-api')
  expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(1)
  expect(await page.content()).not.toContain(key)
  expect(await status(key)).toBe(200)
  expect(troubles).toEqual([])
  await context.close()
  await again.stop()
})

test('over TLS the cookies of the site are Secure and bound to their host', async ({ browser, skip }) => {
  if (browser === null) return skip('left out: this machine has no Chromium')
  const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
  const tls = ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]
  const { baseUrl, stop } = await emulate(await createRig(), '--port', '0', ...tls)
  const context = await browser.newContext({ baseURL: baseUrl, locale: 'en-GB', ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await signIn(page)
  expect(await newKey(page)).toMatch(/^\S{20,}$/)
  const cookies = await context.cookies()
  expect(cookies.length).toBeGreaterThan(0)
  for (const cookie of cookies) {
    expect(cookie).toMatchObject({
      name: expect.stringMatching(/^__Host-/),
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    })
  }
  await context.close()
  await stop()
})
