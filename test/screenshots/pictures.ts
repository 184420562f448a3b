import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import type { Language } from '../../emulator/site/texts/language.ts'
import { browserTest, type Visit } from '../browser/harness/browser-test.ts'
import { makeKey, signIn } from '../browser/harness/sign-in.ts'
import { busyService } from './busy-service.ts'

const folder = join(import.meta.dirname, '../../docs/screenshots')

type Open = (page: Page, slugs: readonly string[], language: Language) => Promise<unknown>

/** The pages in the order of a visit, which is signed in from the second on. */
const pages: Readonly<Record<string, Open>> = {
  landing: (page) => page.goto('/'),
  login: (page) => page.goto('/login'),
  files: (page, _, language) => signIn(page, language),
  file: (page, slugs) => page.goto(`/i/${slugs[3]}`),
  'key-page': (page) => page.goto('/cont/cheie-api?range=7d'),
  'new-key': (page, _, language) => makeKey(page, language),
}

const screens = { phone: 360, desktop: 1280 } as const

const screenCases = (['light', 'dark'] as const).flatMap((theme) =>
  (['phone', 'desktop'] as const).map((screen) => ({ theme, screen })),
)

const siteCases = (['en', 'ro'] as const).flatMap((language) => screenCases.map((each) => ({ ...each, language })))

/** Always the same port, key, slugs and time, so that the pictures change only where the pages do. */
const test = browserTest.extend({
  emulatorOptions: { apiKey: 'exampleKeyOfTheFirstAccountForPictures7Vk2', randomSeed: 'pictures' },
  port: 4884,
})

test.for(siteCases)('$language $theme $screen', async ({ language, theme, screen }, { emulator, visitor }) => {
  const slugs = await busyService(emulator)
  const visit: Visit = { language, theme, width: screens[screen] }
  const page = await visitor(visit)
  for (const [name, open] of Object.entries(pages)) {
    await open(page, slugs, language)
    await write(page, `${name}.${language}.${theme}.${screen}.png`)
  }
})

/** What of the dashboard is on the screen, by the picture's name. The newest request is refused. */
const partsOfDashboard = (newest: number) => ({
  dashboard: '',
  'dashboard-request': `?request=${newest}#request`,
  'dashboard-faults': '#faults',
  'dashboard-accounts': '#accounts',
  'dashboard-settings': '#settings',
  'dashboard-state': '#state',
})

test.for(screenCases)('dashboard $theme $screen', async ({ theme, screen }, { emulator, visitor }) => {
  await busyService(emulator)
  const page = await visitor({ theme, width: screens[screen] })
  for (const [name, part] of Object.entries(partsOfDashboard(emulator.control.health().log.kept))) {
    await page.goto('about:blank')
    await page.goto(`/_emulator/ui${part}`)
    await page.getByText(/^(Live|Paused)$/).waitFor()
    await page.getByText('Arm a fault', { exact: true }).waitFor()
    // The sums of the log are asked for last.
    await page.getByText(/^Etiquette: /).waitFor()
    await page
      .locator(name === 'dashboard-request' ? '#request .notice' : '#rows tr')
      .first()
      .waitFor()
    // The page goes to its part a moment after its start.
    const at = part.split('#')[1]
    if (at !== undefined) await page.locator(`#${at}`).evaluate((section) => section.scrollIntoView())
    await write(page, `${name}.${theme}.${screen}.png`)
  }
})

async function write(page: Page, name: string): Promise<void> {
  // The rest is on the picture of the key page, and on others of the dashboard.
  const fullPage = !/^(new-key|dashboard)/.test(name)
  const picture = await page.screenshot({ fullPage, animations: 'disabled' })
  await mkdir(folder, { recursive: true })
  // Small files, where only a chart needs its colours whole.
  const quality = name.startsWith('key-page') ? 100 : 60
  const small = { palette: true, colours: 32, quality, dither: 0, effort: 10 }
  await writeFile(join(folder, name), await sharp(picture).png(small).toBuffer())
}
