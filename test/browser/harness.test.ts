import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'
import { troublesOf } from './harness/troubles.ts'

/** Replaces what the emulator answers with, so that the checks have something to find. */
const page = (body: string, headers: Record<string, string> = {}) => ({
  contentType: 'text/html',
  headers,
  body: `<!doctype html><html lang="en"><head><title>A page</title></head><body><main><h1>A page</h1>${body}</main></body></html>`,
})

test('the harness finds every kind of trouble of a page, but none in the status 404 of one', async ({
  browser,
  baseUrl,
  skip,
}) => {
  if (browser === null) return skip('left out: this machine has no Chromium')
  const context = await browser.newContext({ baseURL: baseUrl })
  const troubles = troublesOf(context, baseUrl)
  const policy = { 'content-security-policy': "script-src 'self' 'unsafe-inline'; style-src 'self'" }
  const faults = `<p style="color: red"></p><script src="/i/missing.js"></script>
<script>console.log('a message'); fetch('http://127.0.0.1:9/').catch(() => {}); later()</script>`
  await context.route('**/faulty', (route) => route.fulfill(page(faults, policy)))
  const visited = await context.newPage()
  await visited.goto('/i/missing')
  expect(troubles).toEqual([])
  await visited.goto('/faulty')
  await expect.poll(() => troubles.join('\n')).toMatch(/request failed/)
  const all = troubles.join('\n')
  expect(all).toMatch(/console error: Applying inline style violates/)
  expect(all).toMatch(/console log: a message/)
  expect(all).toMatch(/console error: .* 404 .*missing\.js/)
  expect(all).toMatch(/request elsewhere: http:\/\/127\.0\.0\.1:9\//)
  expect(all).toMatch(/error in a script: ReferenceError: later is not defined/)
  await context.close()
})

test('the checks find a picture without a text, and a page that is wider than a phone', async ({ visitor }) => {
  const visited = await visitor({ width: 360 })
  await visited.route('**/bad', (route) => route.fulfill(page('<img src="data:,"><p style="width: 700px">Wide</p>')))
  await visited.goto('/bad')
  await expect(expectAccessible(visited)).rejects.toMatchObject({ actual: [expect.stringMatching(/^image-alt: /)] })
  await expect(expectNoSideScroll(visited)).rejects.toThrow(/width of/)
})
