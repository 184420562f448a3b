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

  clause('silence 7: a key is forty letters and digits', async () => {
    const { id, account } = createAccount(target)
    const keys = [account.apiKey, control.accounts.regenerateKey(id).api_key]
    expect(keys).toEqual(keys.map(() => expect.stringMatching(/^[A-Za-z0-9]{40}$/)))
  })

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

  clause('silence 62: an empty key header is a wrong key, even with a key in the query', async () => {
    expect((await withKey({ 'X-Api-Key': '' }, `?api_key=${target.apiKey}`)).status).toBe(401)
  })

  clause('silence 64: a key header sent twice is a wrong key', async () => {
    expect((await withKey({ 'X-Api-Key': `${target.apiKey}, ${target.apiKey}` })).status).toBe(401)
  })

  clause('silence 65: of several keys in the query the last counts, and a list is no key', async () => {
    const { apiKey } = target
    expect((await withKey({}, `?api_key=wrong&api_key=${apiKey}`)).status).toBe(200)
    expect((await withKey({}, `?api_key=${apiKey}&api_key=wrong`)).status).toBe(401)
    expect((await withKey({}, `?api_key[]=${apiKey}`)).status).toBe(401)
  })

  clause('silence 66: a plus in the query is a blank, and blanks around the key are trimmed', async () => {
    const apiKey = `a+b${control.accounts.list().length}`
    createAccount(target, { api_key: apiKey })
    const escaped = encodeURIComponent(apiKey)
    const queries = [apiKey, escaped, `%20${escaped}%20`].map((key) => withKey({}, `?api_key=${key}`))
    expect((await Promise.all(queries)).map(({ status }) => status)).toEqual([401, 200, 200])
  })

  clause('silence 67: neither a key in the body nor a bearer token is accepted', async () => {
    expect((await withKey({ Authorization: `Bearer ${target.apiKey}` })).status).toBe(401)
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

  clause('silence 72: an invalid allowlist entry matches no address, and an empty list allows all', async () => {
    const { id, account } = createAccount(target, { ip_allowlist: ['localhost', '127.0.0.1/33', '127.*'] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(403)
    control.accounts.update(id, { ip_allowlist: ['localhost', '127.0.0.1'] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
    control.accounts.update(id, { ip_allowlist: [] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
  })

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
