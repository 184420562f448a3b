import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { noBrowser, browserTest as test, type Visit } from './harness/browser-test.ts'
import { expectAccessible, expectNoSideScroll } from './harness/page-checks.ts'

const dashboard = '/_emulator/ui'

function call({ fetch, apiKey }: Emulator, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://localhost${path}`, { headers: { 'X-Api-Key': apiKey, ...headers } })
}

const rows = (page: Page) => page.locator('#log tbody tr')
const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor()

async function openLive(page: Page, query = ''): Promise<void> {
  await page.goto(dashboard + query)
  await live(page)
}

async function saved(page: Page, name: string): Promise<Buffer> {
  const link = page.getByRole('link', { name })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFile(await download.path())
}

const unlimited = { burst: null, minute: null, hour: null, day: null }

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

async function copied(page: Page, name: string): Promise<string> {
  await press(page, name)
  await page.getByRole('status').getByText('Copied').waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

test('requests appear as they come, and one of them says why it was refused', async ({ page, emulator }) => {
  await openLive(page)
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
  await press(page, 'Show 1 new')
  await expect.poll(() => rows(page).count()).toBe(22)
})

test('the filter is in the address, and holds for what comes later', async ({ page, emulator }) => {
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/missing')
  await openLive(page, '?status=404')
  await expect.poll(() => rows(page).count()).toBe(1)
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/lost')
  await expect.poll(() => rows(page).count()).toBe(2)
  expect(await rows(page).first().textContent()).toContain('/api/uploads/lost')
  await page.getByLabel('Search', { exact: true }).fill('missing')
  await page.getByLabel('Status', { exact: true }).fill('4xx')
  await press(page, 'Filter')
  await page.getByText('1 of 4 requests').waitFor()
  expect(new URL(page.url()).search).toBe('?status=4xx&search=missing')
  await page.goBack()
  await expect.poll(() => rows(page).count()).toBe(2)
})

test.for<readonly [name: string, value: string, text: string]>([
  ['finding', '<b>none</b>', 'The field finding takes one of'],
  ['fault', '"><i>', 'The field fault takes'],
])(
  'an address whose %s is %s says what is wrong, and all else on the page is live',
  async ([name, value, text], { visitor, emulator }) => {
    const page = await visitor()
    await call(emulator, '/api/stats')
    await page.goto(`${dashboard}?${name}=${encodeURIComponent(value)}`)
    await page.locator('#requests').getByText(text).waitFor()
    await page.getByText('Wrong filter', { exact: true }).waitFor()
    await page.locator('#settings').getByText('page_size', { exact: true }).waitFor()
    expect(await page.locator('#requests').textContent()).not.toMatch(/of 1 request|No request matches/)
    await page.locator('#clock time', { hasText: '14:00:00' }).waitFor()
    await page.getByRole('link', { name: 'Clear', exact: true }).click()
    await expect.poll(() => page.getByText(text).count()).toBe(0)
    await call(emulator, '/api/stats')
    await expect.poll(() => rows(page).count()).toBe(2)
  },
)

test('one request has both sides, and a copy for curl, and Esc closes it', async ({ page, emulator }) => {
  const form = fileForm(jpegBytes(900), 'holiday.jpg')
  const headers = { 'X-Api-Key': emulator.apiKey, ...form.headers, 'X-Odd': `"><img src=x>` }
  await emulator.fetch('http://localhost/api/upload?note=%3Cb%3E', { method: 'POST', body: form.body, headers })
  await page.goto(`${dashboard}?request=1`)
  const aside = page.getByRole('complementary', { name: 'One request' })
  await aside.getByText('201: answered; the file was stored').waitFor()
  await aside.getByText('note=%3Cb%3E').waitFor()
  await aside.getByText('filename="holiday.jpg"').waitFor()
  await aside.getByText('"direct_url"').waitFor()
  expect(await aside.getByRole('row', { name: 'burst 0 10 20' }).count()).toBe(1)
  expect(await aside.textContent()).not.toContain(emulator.apiKey)
  const curl = await copied(page, 'Copy as curl')
  expect(curl).toMatch(
    /^curl -X POST 'http:\/\/localhost\/api\/upload\?note=%3Cb%3E' \\\n {2}-H "X-Api-Key: \$FH_API_KEY"/,
  )
  expect(curl).toContain(`-F 'file=@holiday.jpg'`)
  await press(page, 'Arm a fault for the next such request')
  await expect.poll(() => page.getByLabel(/^Path \(empty/).inputValue()).toBe('/api/upload')
  await page.keyboard.press('Escape')
  await aside.waitFor({ state: 'detached' })
})

test('a strange method, a long path and unseen characters are shown as text, and cut', async ({ page, emulator }) => {
  const agent = `<script>alert(1)</script>"'`
  const send = (method: string, path: string, headers: Record<string, string>) =>
    emulator.fetch(`http://localhost/api/${path}`, { method, headers })
  await send('M'.repeat(40), 'x'.repeat(8_000), { 'User-Agent': agent })
  await send('PROPFIND', '<img src=x onerror=alert(1)>%00%E2%80%AEgnp', { 'X-Note': '\x9b' })
  await page.goto(`${dashboard}?request=1`)
  await page.getByRole('cell', { name: agent }).waitFor()
  const cells = async () => (await rows(page).last().locator('td').allTextContents()).slice(1, 4)
  await expect.poll(cells).toEqual([`${'M'.repeat(32)}…`, '404', `/api/${'x'.repeat(155)}…`])
  const facts = await page.locator('#request dd').allTextContents()
  expect(Math.max(...facts.map((fact) => fact.length))).toBeLessThanOrEqual(2_101)
  await rows(page).first().getByRole('link').click()
  await page.getByRole('row', { name: 'x-note \\u009b' }).waitFor()
  expect(await page.locator('main').textContent()).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
  expect(await page.locator('main script, main img').count()).toBe(0)
})

test('the keyboard has one stop for all rows, arrows between them, Enter for one, and a slash for the search', async ({
  page,
  emulator,
}) => {
  for (let sent = 0; sent < 5; sent++) await call(emulator, `/api/uploads/${sent}`)
  await page.goto(dashboard)
  await expect.poll(() => rows(page).count()).toBe(5)
  expect(await page.locator('#log a[tabindex="0"]').count()).toBe(1)
  await rows(page).first().getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'GET /api/uploads/2' }).waitFor()
  expect(await page.locator('#log a[tabindex="0"]').getAttribute('data-number')).toBe('3')
  await page.keyboard.press('/')
  expect(await page.evaluate('document.activeElement.id')).toBe('filter-search')
})

test('a run of 650 requests keeps 200 rows, and older ones come when asked for, to the first', async ({
  page,
  emulator,
}) => {
  emulator.control.settings.update({ quotas: unlimited })
  await openLive(page)
  for (let sent = 0; sent < 650; sent++) await call(emulator, `/api/uploads/${sent}`)
  await expect.poll(() => rows(page).first().textContent()).toContain('/api/uploads/649')
  await expect.poll(() => rows(page).count()).toBeLessThanOrEqual(200)
  for (let before = await rows(page).count(); before < 650; before = await rows(page).count()) {
    const after = Math.min(before + 100, 650)
    await press(page, 'Show older requests')
    await expect.poll(() => rows(page).count()).toBe(after)
    expect(await rows(page).last().textContent()).toContain(`/api/uploads/${650 - after}`)
  }
  expect(await page.getByText('Show older requests').count()).toBe(0)
})

test('the list drops requests that were deleted elsewhere, and shows a log that was begun again', async ({
  page,
  emulator,
}) => {
  await openLive(page)
  for (const path of ['/api/uploads/1', '/api/uploads/2', '/api/stats']) await call(emulator, path)
  await expect.poll(() => rows(page).count()).toBe(3)
  emulator.control.requests.clear({ path: '/api/stats' })
  await expect.poll(() => rows(page).count()).toBe(2)
  await emulator.control.reset()
  await call(emulator, '/api/stats')
  await expect.poll(() => rows(page).allTextContents()).toEqual([expect.stringContaining('/api/stats')])
})

test('the etiquette report is summed above the list, and each sum filters it', async ({ page, emulator }) => {
  await call(emulator, '/api/stats')
  await emulator.fetch(`http://localhost/api/stats?api_key=${emulator.apiKey}`)
  await page.goto(dashboard)
  await page.getByRole('link', { name: '1 key in query' }).click()
  await page.getByText('1 of 2 requests').waitFor()
  await expect.poll(() => rows(page).count()).toBe(1)
})

test('a press changes its section alone: what is typed elsewhere stays, and the focus', async ({ page, emulator }) => {
  await page.goto(dashboard)
  const typed = [
    ['Path', '/api/up'],
    ['status', '418'],
    ['page_size', '9'],
    ['Advance by', '90s'],
  ] as const
  for (const [label, text] of typed) await page.getByLabel(label, { exact: true }).fill(text)
  await press(page, '+1 s')
  await page.locator('#clock time', { hasText: '14:00:01' }).waitFor()
  await call(emulator, '/api/stats')
  const minute = page.locator('#quota').getByText(/^1 of 60/)
  await minute.waitFor()
  emulator.control.settings.update({ json_style: 'plain' })
  await page.getByText('1 changed from spec').waitFor()
  await rows(page).first().getByRole('link').click()
  await page.getByRole('heading', { name: 'GET /api/stats' }).waitFor()
  for (const [label, text] of typed) {
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(text)
  }
  await page.getByRole('button', { name: '+1 min' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('#clock time', { hasText: '14:01:01' }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('+1 min')
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
  await page.getByLabel('Advance by').fill('soon')
  await press(page, 'Advance')
  await page.getByText(/"soon" is not a duration/).waitFor()
  expect(await page.getByLabel('Advance by').inputValue()).toBe('soon')
})

test(
  'a fault shows its fields at once, strikes the next request, which says so, and is pressed once',
  takesLong(60, 'axe reads the page at the end'),
  async ({ page, emulator }) => {
    await page.goto(dashboard)
    await page.getByLabel(/^Path \(empty/).fill('/api/stats')
    await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('html_error')
    await page.getByLabel('status (optional)').fill('700')
    await press(page, 'Arm')
    await page.getByText(/status takes a whole number from 200 to 599/).waitFor()
    await page.getByLabel('status (optional)').fill('504')
    await page.getByRole('button', { name: 'Arm', exact: true }).dblclick()
    await page.getByText('Armed: fault 1, html_error.').waitFor()
    await page.getByText('strikes /api/stats, 1 of 1 left').waitFor()
    expect(emulator.control.faults.list()).toMatchObject([{ match: { path: '/api/stats' }, action: { status: 504 } }])
    expect((await call(emulator, '/api/stats')).status).toBe(504)
    expect((await call(emulator, '/api/stats')).status).toBe(200)
    await page.getByRole('link', { name: 'Struck 1' }).click()
    expect(new URL(page.url()).searchParams.get('fault')).toBe('1')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await rows(page).textContent()).toContain('fault html_error')
    await expectAccessible(page)
  },
)

test('the address fills in the form of a fault, each type has its own fields, and arming empties both', async ({
  page,
  emulator,
}) => {
  await page.goto(`${dashboard}?arm=delay&arm_ms=250&arm_method=POST&arm_path=/api/upload&arm_account_id=3&method=GET`)
  const fields = page.locator('#faults-arm-form')
  const namesShown = () => fields.locator('input,textarea').evaluateAll((all) => all.map((one) => one.name))
  await expect.poll(namesShown).toEqual(['ms', 'method', 'path', 'account_id', 'nth', 'times'])
  await press(page, 'Arm')
  await page.getByText('Armed: fault 1, delay.').waitFor()
  await page.getByText('strikes POST /api/upload of account 3, 1 of 1 left').waitFor()
  const match = { method: 'POST', path: '/api/upload', account_id: 3, nth: 1 }
  expect(emulator.control.faults.list()).toMatchObject([{ match, times: 1, action: { type: 'delay', ms: 250 } }])
  expect(new URL(page.url()).search).toBe('?method=GET')
  await expect.poll(() => page.getByLabel(/^Path \(empty/).inputValue()).toBe('')
  for (const { type, parameters } of emulator.control.faults.types()) {
    await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption(type)
    await expect.poll(namesShown).toEqual([...Object.keys(parameters), ...Object.keys(match), 'times'])
  }
  await page.goto(`${dashboard}?arm=${encodeURIComponent('"><b>')}&arm_body=${encodeURIComponent('</textarea><b>')}`)
  await expect.poll(() => page.getByLabel('body (optional)').inputValue()).toBe('</textarea><b>')
  expect(await page.locator('b').count()).toBe(0)
})

test('what is typed for one type of fault stays for another that has it too, and headers are lines', async ({
  page,
  emulator,
}) => {
  await page.goto(dashboard)
  const [type, body] = [page.locator('#faults-arm-type'), page.getByLabel('body (optional)')]
  await body.fill('{"busy": true}')
  await type.selectOption('delay')
  await page.locator('#faults').getByLabel('ms').fill('5')
  await type.selectOption('early_response')
  expect(await body.inputValue()).toBe('{"busy": true}')
  await page.getByLabel('headers (optional)').fill('none')
  await press(page, 'Arm')
  await page.getByText(/lines of "name: value"/).waitFor()
  await page.getByLabel('headers (optional)').fill('Retry-After: 5\n\nX-Two: a: b')
  await press(page, 'Arm')
  await page.getByText('Armed: fault 1, early_response.').waitFor()
  const headers = { 'Retry-After': '5', 'X-Two': 'a: b' }
  expect(emulator.control.faults.list()).toMatchObject([{ action: { body: { busy: true }, headers } }])
  expect(await body.inputValue()).toBe('')
})

test('settings say what is wrong beside each, save what was changed alone, and follow another tab', async ({
  page,
  visitor,
  emulator,
}) => {
  await page.goto(dashboard)
  const other = await visitor()
  await other.goto(dashboard)
  await page.getByLabel('timezone').fill('Mars')
  await page.getByLabel('page_size').fill('0')
  await press(page, 'Save')
  await page.getByText('Nothing is saved: 2 values cannot be taken.').waitFor()
  await page.getByText(/The setting timezone takes/).waitFor()
  await other.getByLabel('quota_windows').selectOption('sliding')
  await press(other, 'Save')
  await other.getByText('Saved: quota_windows.').waitFor()
  await page.getByLabel('timezone').fill('UTC')
  await page.getByLabel('page_size').fill('9')
  await press(page, 'Save')
  await page.getByText('Saved: page_size, timezone.').waitFor()
  expect(emulator.control.settings.get()).toMatchObject({ quota_windows: 'sliding', page_size: 9, timezone: 'UTC' })
  expect(await page.getByLabel('quota_windows').inputValue()).toBe('sliding')
})

test('the key is copied with a button', async ({ page, emulator }) => {
  await page.goto(dashboard)
  expect(await copied(page, 'Copy key')).toBe(emulator.apiKey)
})

test('a downloaded snapshot undoes a reset, and a wrong file changes nothing', async ({ page, emulator }) => {
  emulator.control.accounts.addUploads(1, { count: 3 })
  await page.goto(dashboard)
  const snapshot = await saved(page, 'Download snapshot')
  await page.getByLabel(/Everything returns to the seed/).check()
  await press(page, 'Reset')
  await page.getByText('Everything is back at the seed: 0 uploads').waitFor()
  const wrong = { name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{}') }
  await page.getByLabel('Restore a snapshot').setInputFiles(wrong)
  await press(page, 'Restore')
  await page.getByText(/^Wrong file: nothing changed/).waitFor()
  const right = { name: 'state.json', mimeType: 'application/json', buffer: snapshot }
  await page.getByLabel('Restore a snapshot').setInputFiles(right)
  await press(page, 'Restore')
  await page.getByText('The snapshot is restored: 3 uploads').waitFor()
  expect(emulator.control.health().uploads).toBe(3)
})

test('the log is saved as an archive of what the filter matches, and cleared', async ({ page, emulator }) => {
  await call(emulator, '/api/stats')
  await call(emulator, '/api/uploads/none')
  await page.goto(`${dashboard}?status=404`)
  const { log } = JSON.parse(`${await saved(page, 'Save as HAR')}`)
  expect(log.entries).toHaveLength(1)
  await press(page, 'Clear the log')
  await page.getByText('The log is cleared: 2 requests are gone.').waitFor()
  await expect.poll(() => rows(page).count()).toBe(0)
  await call(emulator, '/api/uploads/none')
  await expect.poll(() => rows(page).count()).toBe(1)
})

test('a page says that its emulator has ended, keeps what is typed, and lives again with the next one', async ({
  browser,
  skip,
  onTestFinished,
}) => {
  if (browser === null) return skip(noBrowser)
  const first = await createEmulator({ clock: 'virtual' })
  const { baseUrl, port } = await first.listen()
  const page = await browser.newPage({ baseURL: baseUrl })
  onTestFinished(() => page.close())
  await openLive(page)
  await page.getByLabel('Path', { exact: true }).fill('/api/up')
  await first.close()
  await page.getByText('Reconnecting', { exact: true }).waitFor()
  await page.getByLabel('Advance by').fill('90s')
  await press(page, 'Advance')
  const silent = page.getByText(/^The emulator does not answer/)
  await silent.waitFor()
  for (const [count, name] of ['Save as HAR', 'Download snapshot'].entries()) {
    await page.getByRole('link', { name }).click()
    await expect.poll(() => silent.count()).toBe(count + 2)
  }
  const second = await createEmulator({ clock: 'virtual' })
  onTestFinished(() => second.close())
  await second.listen({ port })
  await call(second, '/api/uploads/second')
  await live(page)
  await expect.poll(() => rows(page).count()).toBe(1)
  expect(await page.getByLabel('Path', { exact: true }).inputValue()).toBe('/api/up')
  await press(page, 'Advance')
  await expect.poll(() => second.control.clock.get().now).toMatch(/:\d\d:\d\d/)
  const inClock = page.locator('#clock').getByText(/^The emulator does not answer/)
  await expect.poll(() => inClock.count()).toBe(0)
})

test('a wrong control token opens nothing, the right one all, and what is typed stays while the emulator does not answer', async ({
  browser,
  baseUrl,
  emulator,
  skip,
}) => {
  if (browser === null) return skip(noBrowser)
  const page = await browser.newPage({ baseURL: baseUrl, extraHTTPHeaders: { 'X-Forwarded-For': '192.0.2.1' } })
  const open = async (token: string) => {
    await page.getByLabel('Control token').fill(token)
    await press(page, 'Open')
  }
  const said = (text: string) => page.getByRole('alert').getByText(text).waitFor()
  await page.goto(dashboard)
  await open('wrong')
  await said('This is not the control token')
  expect(await rows(page).count()).toBe(0)
  const held = '**/_emulator/health'
  await page.route(held, (route) => route.abort('aborted'))
  await open(emulator.controlToken)
  await said('The emulator does not answer')
  expect(await page.getByLabel('Control token').inputValue()).toBe(emulator.controlToken)
  await page.unroute(held)
  await press(page, 'Open')
  await live(page)
  await call(emulator, '/api/stats')
  await expect.poll(() => rows(page).count()).toBe(1)
  const { log } = JSON.parse(`${await saved(page, 'Save as HAR')}`)
  expect(log.entries).toHaveLength(1)
  await press(page, 'Clear the log')
  await page.getByText('The log is cleared').waitFor()
  expect(await page.context().cookies()).toEqual([])
  await page.close()
})

const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>'${'Unbreakable'.repeat(20)}`

test.for<Visit>([
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 600 },
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
])(
  'the dashboard is accessible, fits the screen, and shows markup as text, with all its forms open: $theme, $width px',
  takesLong(90, 'axe reads a page of sixty settings'),
  async (visit, { visitor, emulator }) => {
    const { accounts, faults, settings } = emulator.control
    accounts.create({ email: `${markup}@example.com` })
    accounts.update(2, { suspended: true, suspension_reason: markup, ip_allowlist: [markup], quotas: { minute: 5 } })
    const action = { type: 'status', status: 500, body: { error: markup } } as const
    faults.add({ match: { path: `/api/${encodeURIComponent(markup)}` }, times: 1, action })
    settings.update({ page_size: 7 })
    await call(emulator, `/api/${encodeURIComponent(markup)}`, { 'User-Agent': markup })
    await call(emulator, `/api/uploads/${encodeURIComponent(markup)}?q=${encodeURIComponent(markup)}`)
    const page = await visitor(visit)
    for (const query of ['?request=2', '?status=418', '']) {
      await page.goto(`${dashboard}${query}`)
      await page.getByText(/^(Live|Paused)$/).waitFor()
      await page.getByText('Arm a fault', { exact: true }).waitFor()
      await expectNoSideScroll(page)
      await expectAccessible(page)
    }
    const [heights, nav, danger] = await page.evaluate<[number[], number, string]>(`[
      [...document.querySelectorAll('header nav a, #rows a, .account a')].map((one) => one.getBoundingClientRect().height),
      document.querySelector('header nav').scrollWidth - document.querySelector('header nav').clientWidth,
      getComputedStyle(document.querySelector('.danger')).color]`)
    if (visit.width === 360) expect(Math.min(...heights)).toBeGreaterThanOrEqual(24)
    expect([nav, danger], 'links at the edge, and white on red in the dark too').toEqual([0, 'rgb(255, 255, 255)'])
  },
)
