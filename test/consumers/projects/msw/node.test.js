import * as all from 'node:http'
import http, { get } from 'node:http'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { baseUrl, headers, intercepted } from './intercepted.js'

const required = createRequire(import.meta.url)('node:http')
const statusBy = (ask) =>
  new Promise((resolve) => {
    const answered = (answer) => answer.resume() && resolve(answer.statusCode)
    ask(`${baseUrl}/api/stats`, { headers }, answered).on('error', ({ code }) => resolve(code))
  })

test('node:http is intercepted as a whole, and not by names that were imported before', async () => {
  await intercepted()
  expect([await statusBy(get), await statusBy(all.get)]).toEqual(['ECONNREFUSED', 'ECONNREFUSED'])
  expect(await statusBy(required.get)).toBe(200)
  expect(await statusBy((...given) => http.get(...given))).toBe(200)
  expect((await fetch(`${baseUrl}/api/stats`, { headers })).status).toBe(200)
})
