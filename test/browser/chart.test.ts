import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest as test } from './harness/browser-test.ts'
import { signIn } from './harness/sign-in.ts'

test.for(['light', 'dark'] as const)(
  'every part of the chart stands out from what is behind it, %s',
  async (theme, { visitor, emulator }) => {
    await emulator.fetch('http://localhost/api/stats', { headers: { 'X-Api-Key': emulator.apiKey } })
    const page = await visitor({ theme, width: 360 })
    await signIn(page)
    await page.goto('/cont/cheie-api')
    const ground = await luminance(page, '.card:has(figure)', 'backgroundColor')
    // Texts and bars keep their size on a phone.
    expect((await page.locator('.chart').boundingBox())?.height).toBe(220)
    // WCAG 2.1, 1.4.3 and 1.4.11.
    expect(contrast(ground, await luminance(page, '.chart .tick', 'fill'))).toBeGreaterThan(4.5)
    for (const name of ['ok', 'clientError', 'limited', 'serverError']) {
      expect(contrast(ground, await luminance(page, `.legend .bar.${name}`, 'color')), name).toBeGreaterThan(3)
    }
  },
)

/** The contrast ratio of WCAG 2.1, from 1 to 21. */
const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

async function luminance(page: Page, selector: string, property: string): Promise<number> {
  const colour = await page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
  const [red = 0, green = 0, blue = 0] = [...colour.matchAll(/[\d.]+/g)].map(([value]) => {
    const share = Number(value) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
