import { expect } from 'vitest'
import { texts } from '../../emulator/site/texts/language.ts'
import { mediaPath } from '../helpers/media.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { browserTest as test } from './harness/browser-test.ts'
import { expectGood } from './harness/page-checks.ts'
import { signIn } from './harness/sign-in.ts'

/** Longer than a line, and full of what must not become markup. */
const hostileTitle = `<script>alert("1")</script>'&amp;${'Unbreakable'.repeat(20)}`

/** The name of the field that has the focus and is on the screen. */
const lookedAt = `(({ name }, { top, bottom }) => top >= 0 && bottom <= innerHeight && name)(
  document.activeElement, document.activeElement.getBoundingClientRect())`

const visits = [
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'ro', theme: 'light', width: 600 },
  { language: 'ro', theme: 'dark', width: 360 },
] as const

test.for(visits)(
  'every page is accessible, and as wide as the screen: $language, $theme, $width px',
  takesLong(120, 'axe reads twenty pages'),
  async (visit, { emulator, visitor }) => {
    const { language } = visit
    const { upload, key, allowlist } = texts[language]
    const { accounts, clock, settings, uploads } = emulator.control
    const [photo = ''] = accounts.addUploads(1, { count: 61 }).slugs
    const [clip = ''] = accounts.addUploads(1, { count: 1, mime_type: 'video/mp4' }).slugs
    await clock.advance('10s')
    await uploads.update(photo, { title: hostileTitle, likes: 1_000_000 })
    await emulator.fetch('http://localhost/api/stats', { headers: { 'X-Api-Key': emulator.apiKey } })

    const page = await visitor(visit)
    const check = () => expectGood(page, language)
    const open = async (...addresses: readonly string[]) => {
      for (const address of addresses) {
        await page.goto(address)
        await check()
      }
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await open('/', '/login', `/i/${photo}`, `/i/${clip}`, `/e/${photo}`, `/e/${clip}`, '/i/missing')

    await signIn(page, language)
    await page.getByLabel(upload.choose).setInputFiles(['photo.jpg', 'README.md'].map(mediaPath))
    await press(upload.submit)
    await page.getByRole('button', { name: 'photo.jpg' }).waitFor()
    await check()
    await open('/', `/i/${photo}`, `/i/${photo}/delete`)

    await page.goto('/cont/cheie-api')
    await page.getByLabel(key.password).fill('wrong')
    await press(key.generate)
    await page.getByText(key.wrongPassword).waitFor()
    await check()
    await page.getByLabel(allowlist.label).fill('nonsense')
    await press(allowlist.save)
    await page.locator('#allowlist-problems').waitFor()
    expect(await page.title()).toMatch(/^(Error|Eroare): /)
    expect(await page.evaluate(lookedAt)).toBe('addresses')
    await check()
    accounts.update(1, { suspended: true, suspension_reason: hostileTitle })
    settings.update({ api_enabled: false })
    await page.goto('/cont/cheie-api?range=7d')
    await page.locator('summary').click()
    await check()
  },
)
