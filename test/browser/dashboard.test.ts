import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { browserTest as test, type Visit } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'

const dashboard = '/_emulator/ui'

function call({ fetch, apiKey }: Emulator, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://localhost${path}`, { headers: { 'X-Api-Key': apiKey, ...headers } })
}

const rows = (page: Page) => page.locator('#log tbody tr')

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

test('requests appear as they come, and one of them says why it was refused', async ({ page, emulator }) => {
  await page.goto(dashboard)
  await page.getByText('Live', { exact: true }).waitFor()
  await call(emulator, '/api/stats')
  await expect.poll(() => rows(page).count()).toBe(1)
  for (let sent = 0; sent < 20; sent++) await call(emulator, '/api/stats')
  await expect.poll(() => rows(page).count()).toBe(21)
  await rows(page).first().getByRole('link').first().click()
  await page.getByText(/^429: burst window full, 20 of 20 used, 1 needed; fits at/).waitFor()
  await page.getByText('Paused', { exact: true }).waitFor()
  await call(emulator, '/api/stats')
  await page.getByText('Paused, 1 new').waitFor()
  await expectAccessible(page)
})

test('the filter is in the address, and holds for what comes later too', async ({ page, emulator }) => {
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/missing')
  await page.goto(`${dashboard}?status=404`)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await rows(page).count()).toBe(1)
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/lost')
  await expect.poll(() => rows(page).count()).toBe(2)
  expect(await rows(page).first().textContent()).toContain('/api/uploads/lost')
})

test('a run of 600 requests adds no more rows than the page keeps', async ({ page, emulator }) => {
  emulator.control.settings.update({ quotas: { burst: null, minute: null, hour: null, day: null } })
  await page.goto(dashboard)
  await page.getByText('Live', { exact: true }).waitFor()
  for (let sent = 0; sent < 600; sent++) await call(emulator, `/api/uploads/${sent}`)
  await expect.poll(() => rows(page).first().textContent()).toContain('/api/uploads/599')
  expect(await rows(page).count()).toBeLessThanOrEqual(200)
})

test('the buttons of the clock move the service, and gauges drain with it', async ({ page, emulator }) => {
  await call(emulator, '/api/stats')
  await page.goto(dashboard)
  const minute = page.locator('#quota').getByText(/^1 of 60/)
  await minute.waitFor()
  await press(page, '+1 h')
  await expect.poll(() => emulator.control.clock.get().now).toBe('2026-01-15T13:00:00.000Z')
  await page.locator('#clock').getByText('2026-01-15T13:00:00Z').waitFor()
  await expect.poll(() => minute.count()).toBe(0)
})

test('a fault that is armed from the form strikes the next request, which says so', async ({ page, emulator }) => {
  await page.goto(dashboard)
  await page.getByLabel('Type', { exact: true }).selectOption('status')
  await page.getByLabel(/^status:/).fill('503')
  await page.getByLabel(/^Path \(empty/).fill('/api/stats')
  await press(page, 'Arm')
  await page
    .getByText(/strikes the 1st \/api\/stats, 1 of 1 left/)
    .first()
    .waitFor()
  expect((await call(emulator, '/api/stats')).status).toBe(503)
  expect((await call(emulator, '/api/stats')).status).toBe(200)
  await expect.poll(() => rows(page).last().textContent()).toContain('fault')
  await page.getByText(/strikes the 1st \/api\/stats, 0 of 1 left/).waitFor()
  await expectAccessible(page)
})

test('the lines for the environment are copied with a button', async ({ page, emulator, baseUrl }) => {
  await page.goto(dashboard)
  await press(page, 'Copy sh commands')
  await page.getByText('Copied').first().waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toContain(`export FH_BASE_URL='${baseUrl}'\n`)
  expect(copied).toContain(emulator.apiKey)
})

test('a snapshot that was downloaded brings back what a reset took away', async ({ page, emulator }) => {
  emulator.control.accounts.addUploads(1, { count: 3 })
  await page.goto(dashboard)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download snapshot' }).click(),
  ])
  const snapshot = await readFile(await download.path())
  await page.getByLabel(/Everything returns to the seed/).check()
  await press(page, 'Reset')
  await page.getByText('Everything is back at the seed: 0 uploads').waitFor()
  const wrong = { name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{') }
  await page.getByLabel('Restore a snapshot').setInputFiles(wrong)
  await press(page, 'Restore')
  await page.getByText(/^Wrong file: nothing changed/).waitFor()
  const right = { name: 'state.json', mimeType: 'application/json', buffer: snapshot }
  await page.getByLabel('Restore a snapshot').setInputFiles(right)
  await press(page, 'Restore')
  await page.getByText('The snapshot is restored: 3 uploads').waitFor()
  expect(emulator.control.health().uploads).toBe(3)
})

test('without scripts the dashboard filters, shows a request, moves the clock, arms a fault, and changes a setting', async ({
  visitor,
  emulator,
}) => {
  const page = await visitor({ javaScript: false })
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/missing')
  await page.goto(`${dashboard}?path=/api/uploads/*`)
  expect(await rows(page).count()).toBe(1)
  await rows(page).first().getByRole('link').first().click()
  await page.getByText(/^404: /).waitFor()
  await press(page, '+1 min')
  expect(emulator.control.clock.get().now).toBe('2026-01-15T12:01:00.000Z')
  await page.getByLabel('Type', { exact: true }).selectOption('delay')
  await press(page, 'Choose')
  await page.getByLabel(/^ms:/).fill('1000')
  await press(page, 'Arm')
  expect(emulator.control.faults.list()).toMatchObject([{ action: { type: 'delay', ms: 1_000 } }])
  await page.getByLabel('charge_rejected').selectOption('true')
  await press(page, 'Save')
  expect(emulator.control.settings.get()).toMatchObject({ charge_rejected: true })
})

const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`

test.for<Visit>([
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 600 },
  { theme: 'light', width: 360 },
])(
  'the dashboard is accessible, fits the screen, and shows markup as text: $theme, $width px',
  takesLong(90, 'axe reads a page of sixty settings'),
  async (visit, { visitor, emulator }) => {
    const { accounts, faults } = emulator.control
    accounts.create({ email: 'other@example.com' })
    accounts.update(1, { suspended: true, suspension_reason: markup })
    faults.add({
      match: { path: `/api/${encodeURIComponent(markup)}` },
      times: 1,
      action: { type: 'status', status: 500, body: { error: markup } },
    })
    await call(emulator, `/api/${encodeURIComponent(markup)}`, { 'User-Agent': markup })
    await call(emulator, `/api/uploads/${encodeURIComponent(markup)}`, { 'User-Agent': markup })
    await call(emulator, `/api/uploads/${'unbreakable'.repeat(30)}`)
    const page = await visitor(visit)
    for (const query of ['?request=1&account=1&arm=status', '?status=418']) {
      await page.goto(`${dashboard}${query}`)
      await page.getByText(/^(Live|Paused)$/).waitFor()
      await expectNoSideScroll(page)
      await expectAccessible(page)
    }
  },
)
