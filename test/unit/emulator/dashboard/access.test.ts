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
async function dashboard(): Promise<(visit?: Visit) => ReturnType<HttpHandler>> {
  const { control } = await emulated()
  const api = createControlApp(control, createStreams(control.state))
  const handle = createControlDoor({ api, dashboard: answerDashboard, token: 'open-sesame', siteUrl: undefined })
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
const withToken = { ...lan, headers: { authorization: 'Bearer open-sesame' } }

test.each([
  ['a foreign page', { headers: { origin: 'http://evil.example' } }, 403],
  ['another machine', lan, 401],
  ['another machine with the token', withToken, 200],
])('a visit from %s is answered as the control API would', async (_, visit: Visit, status) => {
  const visited = await dashboard()
  const answers = ['/ui', '/requests/stream', '/health'].map((url) => visited({ ...visit, url, method: 'HEAD' }))
  expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([status, status, status])
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

test('stylesheet and script are no secret, but are for the dashboard’s own pages', async () => {
  const visited = await dashboard()
  const asset = /href="\/_emulator(\/ui\/assets\/dashboard[^"]+)"/.exec(String((await visited(lan)).body))?.[1] ?? ''
  expect((await visited({ ...lan, url: asset })).status).toBe(200)
  expect((await visited({ ...lan, url: asset, headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
})
