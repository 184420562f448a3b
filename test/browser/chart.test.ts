import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { expectAccessible } from './harness/page-checks.ts'
import { signIn } from './harness/sign-in.ts'

async function openUsage(page: Page, range: string): Promise<void> {
  await page.getByRole('link', { name: range, exact: true }).click()
  await page.waitForURL(/range=/)
}

async function call(emulator: Emulator, path: string, count: number): Promise<void> {
  const init = { headers: { 'X-Api-Key': emulator.apiKey } }
  for (let sent = 0; sent < count; sent++) await emulator.fetch(`http://localhost${path}`, init)
}

test('the usage chart counts the requests of three days in the range that is chosen, and its table has the same numbers', async ({
  page,
  emulator,
}) => {
  for (const count of [3, 5, 2]) {
    await call(emulator, '/api/stats', count)
    await emulator.control.clock.advance('1d')
  }
  await call(emulator, '/api/uploads/missing', 4)
  await signIn(page)
  await page.goto('/cont/cheie-api')
  const label = () => page.getByRole('img', { name: /^API requests/ }).getAttribute('aria-label')
  const rows = () => page.getByRole('row', { name: /^GET/ }).allInnerTexts()
  await openUsage(page, '24 hours')
  expect(await label()).toMatch(/^API requests, last 24 hours: 4,/)
  expect(await rows()).toEqual(['GET\t/api/uploads/{slug}\t404\t4'])
  await openUsage(page, '7 days')
  expect(await label()).toMatch(/^API requests, last 7 days: 14,/)
  expect(await rows()).toEqual(['GET\t/api/stats\t200\t10', 'GET\t/api/uploads/{slug}\t404\t4'])
  await page.locator('summary').click()
  await expectAccessible(page)
  await openUsage(page, '30 days')
  expect(await label()).toMatch(/^API requests, last 30 days: 14,/)
})

test.for(['light', 'dark'] as const)(
  'every part of the chart stands out from what is behind it, %s',
  async (theme, { visitor, emulator }) => {
    await call(emulator, '/api/stats', 3)
    const page = await visitor({ theme })
    await signIn(page)
    await page.goto('/cont/cheie-api')
    const ground = await colour(page, 'figure', 'backgroundColor')
    // WCAG 2.1, 1.4.3 and 1.4.11.
    expect(contrast(ground, await colour(page, '.chart .tick', 'fill'))).toBeGreaterThan(4.5)
    for (const name of ['ok', 'clientError', 'limited', 'serverError']) {
      expect(contrast(ground, await colour(page, `.chart .bar.${name}`, 'color')), name).toBeGreaterThan(3)
    }
  },
)

type Colour = readonly [number, number, number]

async function colour(page: Page, selector: string, property: string): Promise<Colour> {
  const text = await page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  const [red = 0, green = 0, blue = 0] = [...text.matchAll(/[\d.]+/g)].map(([value]) => Number(value))
  return [red, green, blue]
}

/** The contrast ratio of WCAG 2.1, from 1 to 21. */
function contrast(one: Colour, other: Colour): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
