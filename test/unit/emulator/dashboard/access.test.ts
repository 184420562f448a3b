import { expect, test } from 'vitest'
import { createControlApp } from '../../../../emulator/control/http/control-app.ts'
import { createControlDoor } from '../../../../emulator/control/http/control-door.ts'
import { createPageAccess } from '../../../../emulator/control/http/page-access.ts'
import { createStreams } from '../../../../emulator/control/http/streams.ts'
import { createLateDashboard } from '../../../../emulator/dashboard/late-dashboard.ts'
import type { HttpHandler, HttpResponse } from '../../../../emulator/http.ts'
import { emulated } from '../emulated.ts'

interface Visit {
  readonly url?: string
  readonly from?: string
  readonly origin?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

/** An emulator's dashboard and control API on port 4884, with the control token `open-sesame`. */
async function dashboard(siteUrl?: string): Promise<(visit?: Visit) => ReturnType<HttpHandler>> {
  const { control } = await emulated()
  const token = 'open-sesame'
  const pages = async () => createPageAccess(token)
  const dashboard = createLateDashboard(pages, token)
  const api = createControlApp(control, createStreams(control.state))
  const handle = createControlDoor({ api, dashboard, pages, token, siteUrl })
  return ({ url = '/ui', from = '127.0.0.1', origin = 'http://127.0.0.1:4884', headers = {}, form, method } = {}) =>
    handle({
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      url: `/_emulator${url}`,
      origin,
      clientIp: from,
      localPort: 4_884,
      headers: { host: new URL(origin).host, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: {
        async *[Symbol.asyncIterator]() {
          yield Buffer.from(new URLSearchParams(form ?? {}).toString())
        },
      },
    })
}

/** What the page sends with its writes. */
const proofIn = ({ body }: HttpResponse) => /data-proof="([^"]*)"/.exec(String(body))?.[1] ?? ''

const lan = { from: '192.168.1.9', origin: 'http://192.168.1.5:4884' }
const own = { 'sec-fetch-site': 'same-origin', origin: lan.origin }

test.each([
  ['this machine', {}, 200],
  ['a foreign page', { headers: { origin: 'http://evil.example' } }, 403],
  ['a page of another port of this machine', { headers: { origin: 'http://127.0.0.1:3000' } }, 403],
  ['a foreign name of this machine', { origin: 'http://evil.example:4884' }, 403],
  ['another machine', lan, 401],
  ['a proxy', { headers: { 'x-forwarded-for': '192.0.2.7' } }, 403],
  ['another machine with the token', { ...lan, headers: { authorization: 'Bearer open-sesame' } }, 200],
])('a visit from %s is answered as the control API would', async (_, visit: Visit, status) => {
  const visited = await dashboard()
  const paths = ['/ui', '/requests/stream', '/health']
  const [page, events] = await Promise.all(paths.map((url) => visited({ ...visit, url, method: 'HEAD' })))
  expect([page?.status, events?.status]).toEqual([status, status])
})

test('from another machine a form asks for the control token, and a cookie stands for it from then on', async () => {
  const visited = await dashboard()
  const asked = await visited(lan)
  expect(String(asked.body)).toContain('Control token')
  const answer = await visited({ ...lan, url: '/ui/sign-in', headers: own, form: { control_token: ' open-sesame ' } })
  const cookie = answer.headers['Set-Cookie'] ?? ''
  expect([answer.status, answer.headers['Location']]).toEqual([303, '/_emulator/ui'])
  expect(cookie).toMatch(/^fh_dashboard_4884=[\w.-]+; Path=\/_emulator; HttpOnly; SameSite=Strict$/)
  expect(cookie).not.toContain('sesame')
  const [pair = ''] = cookie.split(';')
  expect((await visited({ ...lan, headers: { cookie: pair } })).status).toBe(200)
  const proof = proofIn(await visited({ ...lan, headers: { cookie: pair } }))
  const clear = { ...lan, url: '/requests', method: 'DELETE' }
  const written = { ...own, cookie: pair, 'x-emulator-page': proof }
  const statusOf = async (visit: Visit) => (await visited(visit)).status
  expect(await statusOf({ ...lan, url: '/requests', headers: { cookie: pair } })).toBe(200)
  expect(await statusOf({ ...clear, headers: written })).toBe(200)
  expect(await statusOf({ ...clear, headers: { ...written, 'x-emulator-page': `${proof}x` } })).toBe(401)
  expect(await statusOf({ ...clear, headers: { ...own, cookie: pair } })).toBe(401)
  const forged = [`${pair}x`, 'fh_dashboard_4884=a.b', 'fh_dashboard_4884=.', pair.replace('=', '=A')]
  const answers = await Promise.all(forged.map((value) => visited({ ...lan, headers: { cookie: value } })))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
})

test('the cookie gives no other page the use of the dashboard', async () => {
  const visited = await dashboard()
  const answer = await visited({ ...lan, url: '/ui/sign-in', headers: own, form: { control_token: 'open-sesame' } })
  const [cookie = ''] = (answer.headers['Set-Cookie'] ?? '').split(';')
  const proof = { 'x-emulator-page': proofIn(await visited({ ...lan, headers: { cookie } })) }
  const foreign = [
    { cookie, ...proof, origin: 'http://192.168.1.5:3000' },
    { cookie, ...proof, origin: 'null' },
    { cookie, ...proof, 'sec-fetch-site': 'same-site' },
    { cookie },
  ]
  const clear = { ...lan, url: '/requests', method: 'DELETE' }
  const answers = await Promise.all(foreign.map((headers) => visited({ ...clear, headers })))
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 401])
})

test('through a proxy a form asks for the control token too, also where the proxy adds TLS', async () => {
  const visited = await dashboard()
  const proxied = { host: 'files.example', 'x-forwarded-for': '192.0.2.7', 'sec-fetch-site': 'same-origin' }
  const origin = 'https://files.example'
  const from = { origin: 'http://files.example' }
  expect(String((await visited({ ...from, headers: proxied })).body)).toContain('Control token')
  const headers = { ...proxied, origin }
  const answer = await visited({ ...from, url: '/ui/sign-in', headers, form: { control_token: 'open-sesame' } })
  const [cookie = ''] = (answer.headers['Set-Cookie'] ?? '').split(';')
  const page = await visited({ ...from, headers: { ...proxied, cookie } })
  const written = { ...headers, cookie, 'x-emulator-page': proofIn(page) }
  const cleared = await visited({ ...from, url: '/requests', method: 'DELETE', headers: written })
  expect([page.status, cleared.status]).toEqual([200, 200])
})

test('under TLS the cookie is Secure, with a prefix that keeps other pages from setting it', async () => {
  const visited = await dashboard()
  const origin = 'https://192.168.1.5:4884'
  const headers = { 'sec-fetch-site': 'same-origin', origin }
  const answer = await visited({ ...lan, origin, url: '/ui/sign-in', headers, form: { control_token: 'open-sesame' } })
  expect(answer.headers['Set-Cookie']).toMatch(/^__Secure-fh_dashboard_4884=.*; HttpOnly; Secure; SameSite=Strict$/)
})

test('five wrong tokens a minute are looked at, then no token is, of that address alone', async () => {
  const visited = await dashboard()
  const attempt = (from: string, control_token: string) =>
    visited({ ...lan, from, url: '/ui/sign-in', headers: own, form: { control_token } })
  const statuses: number[] = []
  for (let time = 0; time < 6; time += 1) statuses.push((await attempt('192.168.1.9', 'wrong')).status)
  statuses.push((await attempt('192.168.1.9', 'open-sesame')).status)
  statuses.push((await attempt('192.168.1.10', 'open-sesame')).status)
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 303])
})

test('the website’s own address has no dashboard, with the token or without', async () => {
  const visited = await dashboard('https://files.example')
  const site = { origin: 'https://files.example' }
  const bearer = { authorization: 'Bearer open-sesame' }
  const visits = [site, { ...site, headers: bearer }, { headers: { origin: 'https://files.example' } }, {}]
  const answers = await Promise.all(visits.map((visit) => visited(visit)))
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 200])
})

test('stylesheet and script are no secret, but are for the dashboard’s own pages', async () => {
  const visited = await dashboard()
  const asset = /href="\/_emulator(\/ui\/assets\/dashboard[^"]+)"/.exec(String((await visited(lan)).body))?.[1] ?? ''
  expect((await visited({ ...lan, url: asset })).status).toBe(200)
  expect((await visited({ ...lan, url: asset, headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
})
