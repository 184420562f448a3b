import { expect, test } from 'vitest'
import { createControlDoor } from '../../../../emulator/control/http/control-door.ts'
import { createStreams } from '../../../../emulator/control/http/streams.ts'
import { createRequestJournal } from '../../../../emulator/control/request-journal.ts'
import { createLateDashboard } from '../../../../emulator/dashboard/late-dashboard.ts'
import type { HttpReply } from '../../../../emulator/http-types.ts'
import { emulated } from '../emulated.ts'
import { noAccounts } from './looking.ts'

interface Visit {
  readonly url?: string
  readonly from?: string
  readonly origin?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

/** A dashboard that listens on port 4884, with the control token `open-sesame`. */
async function dashboard(siteUrl?: string): Promise<(visit?: Visit) => Promise<HttpReply>> {
  const { control } = await emulated()
  const journal = createRequestJournal({ all: () => [], dropped: () => 0, subscribe: () => () => {} })
  const token = 'open-sesame'
  const dashboard = createLateDashboard({
    control,
    directory: noAccounts,
    journal,
    token,
    streams: createStreams(control.state),
  })
  const handle = createControlDoor({ api: dashboard, dashboard, token, siteUrl })
  return ({ url = '', from = '127.0.0.1', origin = 'http://127.0.0.1:4884', headers = {}, form, method } = {}) =>
    handle({
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      url: `/_emulator/ui${url}`,
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
  const paths = ['', '/events', '/requests/clear']
  const [page, events] = await Promise.all(paths.map((url) => visited({ ...visit, url, method: 'HEAD' })))
  expect([page?.status, events?.status]).toEqual([status, status])
})

test('from another machine a form asks for the control token, and a cookie stands for it from then on', async () => {
  const visited = await dashboard()
  const asked = await visited(lan)
  expect(String(asked.body)).toContain('Control token')
  const answer = await visited({ ...lan, url: '/sign-in', headers: own, form: { control_token: ' open-sesame ' } })
  const cookie = answer.headers['Set-Cookie'] ?? ''
  expect([answer.status, answer.headers['Location']]).toEqual([303, '/_emulator/ui'])
  expect(cookie).toMatch(/^fh_dashboard_4884=[\w.-]+; Path=\/_emulator; HttpOnly; SameSite=Strict$/)
  expect(cookie).not.toContain('sesame')
  const [pair = ''] = cookie.split(';')
  expect((await visited({ ...lan, headers: { cookie: pair } })).status).toBe(200)
  const cleared = await visited({ ...lan, url: '/requests/clear', headers: { ...own, cookie: pair }, form: {} })
  expect(cleared.status).toBe(303)
  const forged = [`${pair}x`, 'fh_dashboard_4884=a.b', 'fh_dashboard_4884=.', pair.replace('=', '=A')]
  const answers = await Promise.all(forged.map((value) => visited({ ...lan, headers: { cookie: value } })))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
})

test('the cookie gives no other page the use of the dashboard', async () => {
  const visited = await dashboard()
  const answer = await visited({ ...lan, url: '/sign-in', headers: own, form: { control_token: 'open-sesame' } })
  const [cookie = ''] = (answer.headers['Set-Cookie'] ?? '').split(';')
  const foreign = [
    { cookie, origin: 'http://192.168.1.5:3000' },
    { cookie, origin: 'null' },
    { cookie, 'sec-fetch-site': 'same-site' },
    { cookie },
  ]
  const answers = await Promise.all(
    foreign.map((headers) => visited({ ...lan, url: '/requests/clear', headers, form: {} })),
  )
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 419])
})

test('through a proxy a form asks for the control token too, also where the proxy adds TLS', async () => {
  const visited = await dashboard()
  const proxied = { host: 'files.example', 'x-forwarded-for': '192.0.2.7', 'sec-fetch-site': 'same-origin' }
  const origin = 'https://files.example'
  const from = { origin: 'http://files.example' }
  expect(String((await visited({ ...from, headers: proxied })).body)).toContain('Control token')
  const headers = { ...proxied, origin }
  const answer = await visited({ ...from, url: '/sign-in', headers, form: { control_token: 'open-sesame' } })
  const [cookie = ''] = (answer.headers['Set-Cookie'] ?? '').split(';')
  expect((await visited({ ...from, headers: { ...proxied, cookie } })).status).toBe(200)
  expect((await visited({ ...from, url: '/requests/clear', headers: { ...headers, cookie }, form: {} })).status).toBe(
    303,
  )
})

test('under TLS the cookie is Secure, with a prefix that keeps other pages from setting it', async () => {
  const visited = await dashboard()
  const origin = 'https://192.168.1.5:4884'
  const headers = { 'sec-fetch-site': 'same-origin', origin }
  const answer = await visited({ ...lan, origin, url: '/sign-in', headers, form: { control_token: 'open-sesame' } })
  expect(answer.headers['Set-Cookie']).toMatch(/^__Secure-fh_dashboard_4884=.*; HttpOnly; Secure; SameSite=Strict$/)
})

test('five wrong tokens a minute are looked at, then no token is, of that address alone', async () => {
  const visited = await dashboard()
  const attempt = (from: string, control_token: string) =>
    visited({ ...lan, from, url: '/sign-in', headers: own, form: { control_token } })
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
  const asset = /href="\/_emulator\/ui(\/assets\/dashboard[^"]+)"/.exec(String((await visited(lan)).body))?.[1] ?? ''
  expect((await visited({ ...lan, url: asset })).status).toBe(200)
  expect((await visited({ ...lan, url: asset, headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
})
