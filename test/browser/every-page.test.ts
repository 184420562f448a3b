import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'
import { browserTest as test, type Visit } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'

/** Longer than a line, and full of what must not become markup. */
const hostileTitle = `<script>alert("1")</script>'&amp;${'Unbreakable'.repeat(20)}`

async function uploaded(emulator: Emulator, name: string, type: string): Promise<string> {
  const form = new FormData()
  form.set('file', new File([await readFile(mediaPath(name))], name, { type }))
  const init = { method: 'POST', headers: { 'X-Api-Key': emulator.apiKey }, body: form }
  const answer = await emulator.fetch('http://localhost/api/upload', init)
  const { upload } = (await answer.json()) as { readonly upload: { readonly slug: string } }
  return upload.slug
}

/** Opens one page after another and checks each. */
async function expectGood(page: Page, { language = 'en' }: Visit, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    expect(await page.locator('html').getAttribute('lang'), address).toBe(language)
    await expectNoSideScroll(page)
    await expectAccessible(page)
  }
}

const visits: readonly Visit[] = [
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'en', theme: 'dark', width: 600 },
  { language: 'ro', theme: 'light', width: 360 },
  { language: 'ro', theme: 'dark', width: 360 },
]

test.for(visits)(
  'to a visitor every page is accessible, and as wide as the screen: $language, $theme, $width px',
  async (visit, { emulator, visitor }) => {
    const photo = await uploaded(emulator, 'photo.jpg', 'image/jpeg')
    const clip = await uploaded(emulator, 'clip.mp4', 'video/mp4')
    await emulator.control.clock.advance('10s')
    await emulator.control.uploads.update(photo, { title: hostileTitle })
    const pages = ['/', '/login', `/i/${photo}`, `/i/${clip}`, `/e/${photo}`, `/e/${clip}`, '/i/missing']
    await expectGood(await visitor(visit), visit, pages)
  },
)
