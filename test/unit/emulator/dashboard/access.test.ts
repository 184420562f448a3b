import { expect, test } from 'vitest'
import { createControlApp } from '../../../../emulator/control/http/control-app.ts'
import { createControlDoor } from '../../../../emulator/control/http/control-door.ts'
import { createStreams } from '../../../../emulator/control/http/streams.ts'
import { dashboard as answerDashboard } from '../../../../emulator/dashboard/dashboard.ts'
import { type HttpHandler, noBody } from '../../../../emulator/http.ts'
import { emulated } from '../emulated.ts'

interface Visit {
  readonly url?: string
  readonly from?: string
  readonly origin?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An emulator's dashboard and control API on port 4884, with the control token `open-sesame`. */
async function dashboard(siteUrl?: string): Promise<(visit?: Visit) => ReturnType<HttpHandler>> {
  const { control } = await emulated()
  const api = createControlApp(control, createStreams(control.state))
  const handle = createControlDoor({ api, dashboard: answerDashboard, token: 'open-sesame', siteUrl })
  return ({ url = '/ui', from = '127.0.0.1', origin = 'http://127.0.0.1:4884', headers = {}, method = 'GET' } = {}) =>
    handle({
      method,
      url: `/_emulator${url}`,
      origin,
      clientIp: from,
      localPort: 4_884,
      headers: { host: new URL(origin).host, ...headers },
      body: noBody,
    })
}

const lan = { from: '192.168.1.9', origin: 'http://192.168.1.5:4884' }
const bearer = { authorization: 'Bearer open-sesame' }

test.each([
  ['this machine', {}, 200],
  ['a foreign page', { headers: { origin: 'http://evil.example' } }, 403],
  ['a page of another port of this machine', { headers: { origin: 'http://127.0.0.1:3000' } }, 403],
  ['a foreign name of this machine', { origin: 'http://evil.example:4884' }, 403],
  ['another machine', lan, 401],
  ['a proxy', { headers: { 'x-forwarded-for': '192.0.2.7' } }, 403],
  ['another machine with the token', { ...lan, headers: bearer }, 200],
])('a visit from %s is answered as the control API would', async (_, visit: Visit, status) => {
  const visited = await dashboard()
  const paths = ['/ui', '/requests/stream', '/health']
  const [page, events] = await Promise.all(paths.map((url) => visited({ ...visit, url, method: 'HEAD' })))
  expect([page?.status, events?.status]).toEqual([status, status])
})

test('from another machine and through a proxy the page asks for the control token, and no cookie stands for it', async () => {
  const visited = await dashboard()
  const proxied = { headers: { host: 'files.example', 'x-forwarded-for': '192.0.2.7' }, origin: 'http://files.example' }
  for (const visit of [lan, proxied]) {
    const { body, headers } = await visited(visit)
    expect(String(body)).toContain('Control token')
    expect(headers['Set-Cookie']).toBeUndefined()
  }
  expect(String((await visited()).body)).not.toContain('Control token')
})

test('the token that the page sends opens the control API to it, also where a proxy adds TLS, and to no other page', async () => {
  const visited = await dashboard()
  const clear = { ...lan, url: '/requests', method: 'DELETE' }
  const own = { 'sec-fetch-site': 'same-origin', origin: lan.origin, ...bearer }
  const proxied = { ...own, host: 'files.example', 'x-forwarded-for': '192.0.2.7', origin: 'https://files.example' }
  const statusOf = async (visit: Visit) => (await visited(visit)).status
  expect(await statusOf({ ...clear, headers: own })).toBe(200)
  expect(await statusOf({ ...clear, origin: 'http://files.example', headers: proxied })).toBe(200)
  expect(await statusOf({ ...clear, headers: { ...own, authorization: 'Bearer wrong' } })).toBe(401)
  expect(await statusOf({ ...clear, headers: { ...own, origin: 'http://192.168.1.5:3000' } })).toBe(403)
  expect(await statusOf({ ...clear, headers: { ...own, origin: 'null' } })).toBe(403)
  expect(await statusOf({ ...clear, headers: { ...own, 'sec-fetch-site': 'same-site' } })).toBe(403)
})

test('the website’s own address has no dashboard, with the token or without', async () => {
  const visited = await dashboard('https://files.example')
  const site = { origin: 'https://files.example' }
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
