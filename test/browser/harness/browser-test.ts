import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../emulator/index.ts'
import { isFirefox, startFirefox } from './firefox.ts'
import { troublesOf } from './troubles.ts'

export interface Visit {
  /** Default: `en`. */
  readonly language?: 'en' | 'ro'
  /** Default: `light`. */
  readonly theme?: 'light' | 'dark'
  /** In CSS pixels. Default: 1280. */
  readonly width?: number
  /** Default: true. */
  readonly javaScript?: boolean
}

interface BrowserFixtures {
  readonly emulatorOptions: EmulatorOptions
  /** The test's own, on a socket. Its clock is virtual unless `emulatorOptions` name another. */
  readonly emulator: Emulator
  /** Default: 0, any that is free. */
  readonly port: number
  /** Without trailing slash. */
  readonly baseUrl: string
  /**
   * A new visitor with cookies of its own, whose page is empty; relative addresses are the emulator's. The test fails on any
   * console message, script error, failed request, or request to another origin.
   */
  readonly visitor: (visit?: Visit) => Promise<Page>
  /** An English visitor on a wide screen. */
  readonly page: Page
  readonly browser: Browser | null
}

export const noBrowser = isFirefox
  ? 'left out: TEST_FIREFOX names no Firefox'
  : 'left out: this machine has no Chromium (TEST_CHROMIUM names one)'

/** A test with a real browser, one for each file. Without one on this machine it is skipped, and says so. */
export const browserTest = test.extend<BrowserFixtures>({
  emulatorOptions: {},
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the pattern.
    async ({}, use) => {
      const started = isFirefox ? null : inject('chromium')
      const inChromium = async () => (started === null ? null : chromium.launch(started))
      const browser = await (isFirefox ? startFirefox() : inChromium())
      await use(browser)
      await browser?.close()
    },
    { scope: 'file' },
  ],
  emulator: async ({ emulatorOptions }, use) => {
    const emulator = await createEmulator({ clock: 'virtual', ...emulatorOptions })
    await use(emulator)
    await emulator.close()
  },
  port: 0,
  baseUrl: async ({ emulator, port }, use) => {
    const { baseUrl } = await emulator.listen({ port })
    await use(baseUrl)
  },
  visitor: async ({ browser, baseUrl, skip, onTestFinished }, use) => {
    if (browser === null) return skip(noBrowser)
    const contexts: BrowserContext[] = []
    const troubles: (readonly string[])[] = []
    // Not after `use`: Vitest reports what a fixture throws there twice, and leaves out other fixtures' endings.
    onTestFinished(() => expect(troubles.flat(), 'what the browser says of the pages').toEqual([]))
    await use(async (visit = {}) => {
      if (isFirefox && visit.javaScript === false) skip('left out: scripts of a driven Firefox cannot be switched off')
      const context = await browser.newContext({ ...contextOptions(visit), baseURL: baseUrl })
      context.setDefaultTimeout(10_000)
      contexts.push(context)
      troubles.push(troublesOf(context, baseUrl))
      return context.newPage()
    })
    // Before the emulator closes: an open page would hold a stream of events.
    await Promise.all(contexts.map((context) => context.close()))
  },
  page: async ({ visitor }, use) => use(await visitor()),
})

function contextOptions({ language = 'en', theme = 'light', width = 1280, javaScript = true }: Visit) {
  return {
    locale: language === 'ro' ? 'ro-RO' : 'en-GB',
    colorScheme: theme,
    viewport: { width, height: 800 },
    javaScriptEnabled: javaScript,
    permissions: ['clipboard-read', 'clipboard-write'],
  }
}
