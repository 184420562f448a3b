import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'

/** Visits the dashboard and the control API of an emulator with the control token `open-sesame`. */
async function visits() {
  const { fetch } = await emulated({ controlToken: 'open-sesame' })
  return (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    fetch(new Request(`http://localhost/_emulator${path}`, { method, headers }))
}

const proxied = { 'X-Forwarded-For': '192.0.2.7' }
const withToken = { ...proxied, Authorization: 'Bearer open-sesame' }

test.each([
  ['a foreign page', { Origin: 'http://evil.example' }, 403],
  ['elsewhere', proxied, 403],
  ['elsewhere with the token', withToken, 200],
])('a visit from %s is answered as the control API would', async (_, headers: Record<string, string>, status) => {
  const visit = await visits()
  const answers = ['/ui', '/requests/stream', '/health'].map((path) => visit(path, headers, 'HEAD'))
  expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([status, status, status])
})

test('through a proxy the page asks for the control token, no cookie stands for it, and only its own pages get its style', async () => {
  const visit = await visits()
  const asking = await visit('/ui', proxied)
  const text = await asking.text()
  expect([text, asking.headers.get('Set-Cookie')]).toEqual([expect.stringContaining('Control token'), null])
  expect(await (await visit('/ui')).text()).not.toContain('Control token')
  const [, asset = ''] = /href="\/_emulator(\/ui\/assets\/dashboard[^"]+)"/.exec(text) ?? []
  expect((await visit(asset, proxied)).status).toBe(200)
  expect((await visit(asset, { ...proxied, 'Sec-Fetch-Site': 'same-site' })).status).toBe(403)
})
