import { expect } from 'vitest'
import { createAccount, stockedAccount, withSettings } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call } from '../media.ts'
import { keyOf, type OwnTarget } from '../targets.ts'

/** Choices on spec 1, 4 and 9: addresses, methods and headers. */
export function routingSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control } = target.emulator
  const status = async (method: string, path: string) => (await call(target, method, path)).status

  fact('silence 2: a client that accepts only HTML gets errors as JSON too', 'application/json', async () => {
    const headers = { ...keyOf(target), Accept: 'text/html' }
    const answer = await target.send('GET', '/api/uploads/none', { headers })
    expect(answer.status).toBe(404)
    return answer.headers.get('Content-Type')
  })

  clause(
    'silence 5, 6, 55: an answer has a fixed set of headers, none of a version or a server, and is not compressed',
    async () => {
      const headers = { ...keyOf(createAccount(target).account), 'Accept-Encoding': 'gzip' }
      const answer = await target.send('GET', '/api/stats', { headers })
      const ofConnection = ['connection', 'keep-alive', 'content-length', 'date']
      expect(Object.fromEntries([...answer.headers].filter(([name]) => !ofConnection.includes(name)))).toEqual({
        'access-control-allow-origin': '*',
        'cache-control': 'no-cache, private',
        'content-type': 'application/json',
        'x-ratelimit-cost': '1',
        'x-ratelimit-limit': expect.any(String),
        'x-ratelimit-remaining': expect.any(String),
        'x-ratelimit-reset': expect.any(String),
      })
      expect(answer.headers.get('Date')).toBe(new Date(target.emulator.clock.now()).toUTCString())
      expect(answer.headers.get('Content-Length')).toBe(String(answer.text.length))
    },
  )

  clause('silence 54, 101: HEAD is GET without the body, costs a unit and is logged', async () => {
    const { id, account } = createAccount(target)
    const answer = await call(account, 'HEAD', '/api/stats')
    expect([answer.status, answer.text, answer.headers.get('X-RateLimit-Cost')]).toEqual([200, '', '1'])
    const length = String((await call(account, 'GET', '/api/stats')).text.length)
    expect([answer.headers.get('Content-Type'), answer.headers.get('Content-Length')]).toEqual([
      'application/json',
      length,
    ])
    expect(control.requests.list({ account_id: id }).requests[0]).toMatchObject({ method: 'HEAD', cost: 1 })
    expect(await status('HEAD', '/api/upload')).toBe(405)
  })

  clause('silence 55, 101: OPTIONS needs no key, costs nothing and is not logged', async () => {
    const before = control.requests.list().kept
    withSettings(target, { api_enabled: false })
    const asked = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
    const plain = await target.send('OPTIONS', '/api/upload')
    const preflight = await target.send('OPTIONS', '/api/upload', { headers: asked })
    expect([plain.status, plain.headers.get('Allow'), plain.text]).toEqual([200, 'POST', ''])
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-methods': 'POST',
      'access-control-max-age': '0',
    })
    for (const answer of [plain, preflight]) expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(control.requests.list().kept).toBe(before)
  })

  clause('silence 56: an unknown path or a wrong method is answered without a key and costs nothing', async () => {
    const { id, account } = createAccount(target)
    expect((await target.send('GET', '/api/nope')).status).toBe(404)
    expect((await target.send('DELETE', '/api/stats')).status).toBe(405)
    await call(account, 'GET', '/api/nope')
    expect(control.accounts.quota(id).minute.used).toBe(0)
  })

  clause('silence 58: the body of a deletion is ignored', async () => {
    const { account, slugs } = await stockedAccount(target, { count: 2 })
    const headers = { ...keyOf(account), 'Content-Type': 'application/json' }
    const body = Buffer.from(JSON.stringify({ slug: slugs[1] }))
    await account.send('DELETE', `/api/uploads/${slugs[0]}`, { headers, body })
    expect((await call(account, 'GET', `/api/uploads/${slugs[1]}`)).status).toBe(200)
  })
}
