import { expect } from 'vitest'
import { createAccount, withSettings } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call } from '../media.ts'
import { keyOf, type OwnTarget } from '../targets.ts'

/** Choices on spec 1 and 5: keys, addresses and access. */
export function accessSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control } = target.emulator

  const withKey = (headers: Readonly<Record<string, string>>, query = '') =>
    target.send('GET', `/api/stats${query}`, { headers })

  const inOrder = [503, 401, 'Access suspended by administrator.', 'IP address not allowed.', 429]

  fact(
    'silence 61: of several reasons to refuse, the answer has the first in the order of the checks',
    inOrder,
    async () => {
      const { id, account } = createAccount(target, {
        suspended: true,
        ip_allowlist: ['10.0.0.1'],
        quotas: { burst: 0 },
      })
      withSettings(target, { api_enabled: false })
      const disabled = (await withKey({ 'X-Api-Key': 'wrong' })).status
      control.settings.update({ api_enabled: true })
      const wrongKey = (await withKey({ 'X-Api-Key': 'wrong' })).status
      const suspended = (await call(account, 'GET', '/api/stats')).json.error
      control.accounts.update(id, { suspended: false })
      const address = (await call(account, 'GET', '/api/stats')).json.error
      control.accounts.update(id, { ip_allowlist: [] })
      return [disabled, wrongKey, suspended, address, (await call(account, 'GET', '/api/stats')).status]
    },
  )

  clause('silence 61: an unknown path is answered 404 even while the API is disabled', async () => {
    withSettings(target, { api_enabled: false })
    expect((await call(target, 'GET', '/api/nope')).status).toBe(404)
  })

  clause('silence 67: a key in the body is not accepted', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const body = Buffer.from(JSON.stringify({ api_key: target.apiKey }))
    expect((await target.send('POST', '/api/upload', { headers, body })).status).toBe(401)
  })

  clause('silence 68: a 401 has no further headers on authentication or quotas', async () => {
    const { status, headers } = await withKey({ 'X-Api-Key': 'wrong' })
    const names = [...headers.keys()].filter((name) => /^(www-authenticate|retry-after|x-ratelimit-.*)$/.test(name))
    expect([status, names]).toEqual([401, []])
  })

  clause(
    'silence 71: the client’s address is the other end of the connection, and X-Forwarded-For is ignored',
    async () => {
      const { id, account } = createAccount(target, { ip_allowlist: ['10.0.0.1'] })
      const headers = { ...keyOf(account), 'X-Forwarded-For': '10.0.0.1', 'CF-Connecting-IP': '10.0.0.1' }
      expect((await target.send('GET', '/api/stats', { headers })).status).toBe(403)
      expect(control.requests.list({ account_id: id }).requests).toMatchObject([{ client_ip: '127.0.0.1' }])
    },
  )

  const disabled = { text: '{"error":"API temporarily disabled."}', retryAfter: '60', status: 503, charged: 0 }

  fact(
    'silence 75: a disabled API answers 503 with a Retry-After of a minute, logs the request and charges nothing',
    disabled,
    async () => {
      const { id, account } = createAccount(target)
      withSettings(target, { api_enabled: false })
      const { status, text, headers } = await call(account, 'GET', '/api/stats')
      expect(control.requests.list().requests.at(-1)?.status).toBe(status)
      const retryAfter = headers.get('Retry-After')
      return { text: text.slice(0, 40), retryAfter, status, charged: control.accounts.quota(id).minute.used }
    },
  )
}
