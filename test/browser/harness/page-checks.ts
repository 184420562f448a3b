import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isFirefox } from './firefox.ts'

type Finding = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'][number]

/** Of a single digit, and of what is scrolled away, axe cannot tell the contrast. */
const unseen = ['shortTextContent', 'elmPartiallyObscured']

/** Left to people: a service knows no words of its users' videos. */
const notJudged = ['video-caption']

/** Checks that axe finds nothing wrong on a page, and nothing that it leaves to people. */
export async function expectAccessible(page: Page): Promise<void> {
  // It has judged the same page in Chromium, and takes minutes in a Firefox that is driven.
  if (isFirefox) return
  // Of drawings axe cannot tell the contrast; the test of the chart measures it.
  const { violations, incomplete } = await new AxeBuilder({ page }).disableRules(notJudged).exclude('svg').analyze()
  expect([...violations, ...incomplete.filter(isSeen)].map(lineOf), page.url()).toEqual([])
}

function isSeen({ nodes }: Finding): boolean {
  return nodes.some(({ any }) => !any.some(({ data }) => unseen.includes(data?.messageKey)))
}

function lineOf({ id, help, nodes }: Finding): string {
  return `${id}: ${help}: ${nodes.map(({ html, any }) => `${html} ${any.map(({ message }) => message)}`).join(' | ')}`
}

/** Checks that a page is not wider than the screen. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const root = 'document.documentElement'
  const [needed, width] = await page.evaluate<[number, number]>(`[${root}.scrollWidth, ${root}.clientWidth]`)
  expect(needed, `width of ${page.url()}`).toBeLessThanOrEqual(width)
}

/** Checks a page of the site in every way: its language, its width and axe. */
export async function expectGood(page: Page, language = 'en'): Promise<void> {
  expect(await page.locator('html').getAttribute('lang'), page.url()).toBe(language)
  await expectNoSideScroll(page)
  await expectAccessible(page)
}
