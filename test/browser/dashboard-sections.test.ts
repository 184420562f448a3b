import { expect } from 'vitest'
import { browserTest as test, type Visit } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'

const dashboard = '/_emulator/ui'
const evil = `"><script>alert(1)</script>${'Unbreakable'.repeat(20)}`

test('a type of fault shows its fields at once, and what was entered for the match stays', async ({
  page,
  emulator,
}) => {
  await page.goto(dashboard)
  await page.getByLabel('Path (empty: every API request)').fill('/api/stats')
  await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('html_error')
  await page.getByLabel('status: from 200 to 599; default: 502').fill('504')
  await page.getByRole('button', { name: 'Arm', exact: true }).click()
  await page.getByText('Armed: html_error: status 504 strikes the 1st /api/stats').waitFor()
  expect(emulator.control.faults.list()).toMatchObject([{ match: { path: '/api/stats' }, action: { status: 504 } }])
  const answer = await emulator.fetch('/api/stats', { headers: { 'X-Api-Key': emulator.apiKey } })
  expect(answer.status).toBe(504)
  await page.getByRole('link', { name: 'Struck 1' }).click()
  expect(new URL(page.url()).searchParams.get('fault')).toBe('1')
})

test('the clock moves by its buttons, and shows its time without a reload', async ({ page, emulator }) => {
  await page.goto(dashboard)
  await page.getByRole('button', { name: '+1 min' }).click()
  await page.locator('#clock time', { hasText: '14:01:00' }).waitFor()
  await emulator.control.clock.advance('1h')
  await page.locator('#clock time', { hasText: '15:01:00' }).waitFor()
  expect(emulator.control.clock.get().now).toBe('2026-01-15T13:01:00.000Z')
})

test('a button copies the variables of its shell, and says so', async ({ page, emulator }) => {
  await page.goto(dashboard)
  await page.getByRole('button', { name: 'Copy sh commands' }).click()
  await page.getByRole('status').getByText('Copied').waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toContain(`export FH_API_KEY='${emulator.apiKey}'`)
  await page.getByRole('button', { name: 'Copy key' }).click()
  await page.getByRole('status').getByText('Copied').waitFor()
})

test('a new account’s key is shown once: not after a reload, and not in the history', async ({ page, emulator }) => {
  await page.goto(dashboard)
  await page.getByLabel('Email of a new account').fill('ana@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  const key = (await page.locator('output').nth(2).textContent()) ?? ''
  const answer = await emulator.fetch('/api/stats', { headers: { 'X-Api-Key': key } })
  expect(answer.status).toBe(200)
  await page.reload()
  expect(await page.content()).not.toContain(key)
  await page.goto('/login')
  await page.goBack()
  expect(await page.content()).not.toContain(key)
})

test('without a script a fault’s type is chosen by a button, and settings are saved', async ({ visitor, emulator }) => {
  const page = await visitor({ javaScript: false })
  await page.goto(`${dashboard}?method=GET`)
  await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('delay')
  await page.getByRole('button', { name: 'Choose' }).click()
  await page.getByLabel('ms: milliseconds').fill('250')
  await page.getByRole('button', { name: 'Arm', exact: true }).click()
  expect(emulator.control.faults.list()).toMatchObject([{ action: { type: 'delay', ms: 250 } }])
  await page.getByLabel('quota_windows').selectOption('sliding')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved: quota_windows.').waitFor()
  expect(emulator.control.settings.get().quota_windows).toBe('sliding')
  expect(await page.getByRole('button', { name: 'Copy key' }).isVisible()).toBe(false)
})

test('a snapshot is downloaded and restored, and a wrong file changes nothing', async ({ page, emulator }) => {
  emulator.control.accounts.addUploads(1, { count: 3 })
  await page.goto(dashboard)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download snapshot' }).click()
  const file = await (await downloading).path()
  await emulator.control.reset()
  await page
    .getByLabel('Restore a snapshot')
    .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Wrong file: nothing changed.').waitFor()
  await page.getByLabel('Restore a snapshot').setInputFiles(file)
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('The snapshot is restored: 3 uploads').waitFor()
})

const visits: readonly Visit[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 600 },
  { theme: 'dark', width: 360 },
]

test.for(visits)(
  'every section is accessible and as wide as the screen with all its forms open: $theme, $width px',
  async (visit, { visitor, emulator }) => {
    const { control } = emulator
    control.accounts.create({ email: `${evil}@example.com` })
    control.accounts.update(2, {
      suspended: true,
      suspension_reason: evil,
      ip_allowlist: [evil],
      quotas: { minute: 5 },
    })
    control.faults.add({
      match: { path: `/${evil}` },
      times: null,
      action: { type: 'status', status: 500, body: evil },
    })
    control.settings.update({ page_size: 7 })
    const page = await visitor(visit)
    await page.goto(`${dashboard}?account=2&dialect=hostile&arm=early_response`)
    await expectNoSideScroll(page)
    await expectAccessible(page)
    await page.getByLabel('timezone').fill('Mars')
    await page.getByLabel('page_size').fill('0')
    const saved = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect((await saved).status()).toBe(422)
    await page.getByText('Nothing is saved: 2 values cannot be taken.').waitFor()
    await expectNoSideScroll(page)
    await expectAccessible(page)
  },
)
