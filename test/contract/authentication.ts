import { expect } from 'vitest'
import { endpoints } from '../../src/protocol/endpoints.ts'
import { createAccount, withSettings } from './accounts.ts'
import type { Clauses } from './clauses.ts'
import { call } from './media.ts'
import { type ContractTarget, isOwn, keyOf, type OwnTarget } from './targets.ts'

const invalidKey = { error: 'Invalid API key.' }

/** The five endpoints, with a slug where needed. */
const calls = Object.values(endpoints).map(({ method, path }) => [method, path.replace('{slug}', 'any')] as const)

/** Spec 5: authentication. */
export function authenticationClauses(target: ContractTarget, { clause, fact }: Clauses): void {
  const statsWith = (headers: Readonly<Record<string, string>>, query = '') =>
    target.send('GET', `/api/stats${query}`, { headers })

  clause(
    'spec 5.2, 5.3, silence 63: the key is accepted in the header and in the query, which counts only without a header',
    async () => {
      const query = `?api_key=${encodeURIComponent(target.apiKey)}`
      const answers = [
        await statsWith(keyOf(target)),
        await statsWith({}, query),
        await statsWith({ 'X-Api-Key': 'wrong' }, query),
        await statsWith(keyOf(target), '?api_key=wrong'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200])
    },
  )

  for (const [method, path] of calls) {
    clause(`spec 1, 5.1, 5.4: ${method} ${path} without a key answers 401`, async () => {
      const answer = await target.send(method, path)
      expect([answer.status, answer.json]).toEqual([401, invalidKey])
    })
  }

  for (const [what, key] of [
    ['that is unknown', 'wrong'],
    ['that is very long', 'x'.repeat(500)],
    ['that is not valid text', '%00'],
  ]) {
    clause(`spec 5.4: a key ${what} is answered 401 in the header and in the query`, async () => {
      const inHeader = await statsWith({ 'X-Api-Key': `${key}` })
      const inQuery = await statsWith({}, `?api_key=${key}`)
      expect([inHeader.status, inHeader.json]).toEqual([401, invalidKey])
      expect([inQuery.status, inQuery.json]).toEqual([401, invalidKey])
    })
  }

  if (isOwn(target)) ownAuthenticationClauses(target, { clause, fact })
}

function ownAuthenticationClauses(target: OwnTarget, { clause, fact }: Pick<Clauses, 'clause' | 'fact'>): void {
  const { control } = target.emulator

  clause('spec 5.5, silence 70, 78: an allowlist accepts only the addresses and ranges in it', async () => {
    const { id, account } = createAccount(target, { ip_allowlist: ['203.0.113.5', '2001:db8::/32'] })
    for (const [method, path] of calls) {
      const refused = await call(account, method, path)
      expect([refused.status, refused.json]).toEqual([403, { error: 'IP address not allowed.' }])
      await control.clock.advance('1m')
    }
    control.accounts.update(id, { ip_allowlist: ['203.0.113.5', '127.0.0.1'] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
    control.accounts.update(id, { ip_allowlist: ['203.0.113.5', '127.0.0.0/8'] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
  })

  clause(
    'spec 5.6, silence 73, 74, 78: a suspended account is answered with the administrator’s reason, any text, or a default message, also a year later',
    async () => {
      const { id, account } = createAccount(target, { suspended: true })
      const usual = await call(account, 'GET', '/api/stats')
      expect([usual.status, usual.json]).toEqual([403, { error: 'Access suspended by administrator.' }])
      const reason = '« Prea mulți ratoni » 🦝 <b>/</b>'
      control.accounts.update(id, { suspension_reason: reason })
      await control.clock.advance('365d')
      const custom = await call(account, 'GET', '/api/stats')
      expect([custom.status, custom.json]).toEqual([403, { error: reason }])
    },
  )

  const disabled = calls.map(() => [503, { error: 'API temporarily disabled.' }])

  fact('spec 5.7: every call is answered 503 while the API is disabled', disabled, async () => {
    const { account } = createAccount(target)
    withSettings(target, { api_enabled: false })
    const seen: unknown[] = []
    for (const [method, path] of calls) {
      const answer = await call(account, method, path)
      seen.push([answer.status, answer.json])
      await control.clock.advance('1m')
    }
    return seen
  })

  clause('spec 1, 5.9, silence 69: a new key invalidates the old one at once', async () => {
    const { id, account } = createAccount(target)
    const { api_key } = control.accounts.regenerateKey(id)
    expect((await call(account, 'GET', '/api/stats')).status).toBe(401)
    expect((await call({ ...account, apiKey: api_key }, 'GET', '/api/stats')).status).toBe(200)
  })
}
