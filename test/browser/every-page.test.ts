import { browserTest as test } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'

test('the landing page', async ({ page }) => {
  await page.goto('/')
  await expectNoSideScroll(page)
  await expectAccessible(page)
})
