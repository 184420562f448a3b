import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'

test('through a proxy the page asks for the control token, no cookie stands for it, and only its own pages get its style', async () => {
  const { fetch } = await emulated({ controlToken: 'open-sesame' })
  const visit = (path: string, headers = {}) => fetch(`http://localhost/_emulator${path}`, { headers })
  const proxied = { 'X-Forwarded-For': '192.0.2.7' }
  const asking = await visit('/ui', proxied)
  const text = await asking.text()
  expect([text, asking.headers.get('Set-Cookie')]).toEqual([expect.stringContaining('Control token'), null])
  expect(await (await visit('/ui')).text()).not.toContain('Control token')
  const [, asset = ''] = /href="\/_emulator(\/ui\/assets\/dashboard[^"]+)"/.exec(text) ?? []
  expect((await visit(asset, proxied)).status).toBe(200)
  expect((await visit(asset, { ...proxied, 'Sec-Fetch-Site': 'same-site' })).status).toBe(403)
})
