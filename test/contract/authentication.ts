import { expect, test } from 'vitest'
import { endpoints } from '../../src/protocol/endpoints.ts'
import { call } from './media.ts'
import { type ContractTarget, keyOf } from './targets.ts'

const invalidKey = { error: 'Invalid API key.' }

/** Spec 5: who may call. */
export function authenticationClauses(target: ContractTarget): void {
  const statsWith = (headers: Readonly<Record<string, string>>, query = '') =>
    target.send('GET', `/api/stats${query}`, { headers })

  test('spec 5.2: the key is taken from the header', async () => {
    expect((await statsWith(keyOf(target))).status).toBe(200)
  })

  test('spec 5.2: the key is taken from the query', async () => {
    expect((await statsWith({}, `?api_key=${encodeURIComponent(target.apiKey)}`)).status).toBe(200)
  })

  test('spec 5.3: the header is looked at first, and the query only where there is none', async () => {
    const query = `?api_key=${encodeURIComponent(target.apiKey)}`
    expect((await statsWith({ 'X-Api-Key': 'wrong' }, query)).status).toBe(401)
    expect((await statsWith(keyOf(target), '?api_key=wrong')).status).toBe(200)
  })

  const calls = Object.values(endpoints).map(({ method, path }) => [method, path] as const)

  test.each(calls)('spec 5.4: %s %s without a key answers 401', async (method, path) => {
    const answer = await target.send(method, path.replace('{slug}', 'any'))
    expect([answer.status, answer.json]).toEqual([401, invalidKey])
  })

  test.each([
    ['that is nobody’s', 'wrong'],
    ['that is very long', 'x'.repeat(500)],
    ['that is not even text', '%00'],
  ])('spec 5.4: a key %s answers 401, sent either way', async (_, key) => {
    const inHeader = await statsWith({ 'X-Api-Key': key })
    const inQuery = await statsWith({}, `?api_key=${key}`)
    expect([inHeader.status, inHeader.json]).toEqual([401, invalidKey])
    expect([inQuery.status, inQuery.json]).toEqual([401, invalidKey])
  })

  if (target.emulator !== undefined) ownAuthenticationClauses(target, target.emulator)
}

type Emulator = NonNullable<ContractTarget['emulator']>

function ownAuthenticationClauses(target: ContractTarget, { control }: Emulator): void {
  const createAccount = () => {
    const { id, api_key } = control.accounts.create()
    return { id, account: { ...target, apiKey: api_key } }
  }

  test('spec 5.5: an account with an allowlist is used from the addresses and ranges in it only', async () => {
    const { id, account } = createAccount()
    control.accounts.update(id, { ip_allowlist: ['203.0.113.5', '2001:db8::/32'] })
    const refused = await call(account, 'GET', '/api/stats')
    expect([refused.status, Object.keys(refused.json)]).toEqual([403, ['error']])
    control.accounts.update(id, { ip_allowlist: ['203.0.113.5', '127.0.0.0/8'] })
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
  })

  test('spec 5.6: a suspended account is told so, in the administrator’s words where there are any', async () => {
    const { id, account } = createAccount()
    control.accounts.update(id, { suspended: true })
    const usual = await call(account, 'GET', '/api/stats')
    expect([usual.status, usual.json]).toEqual([403, { error: 'Access suspended by administrator.' }])
    control.accounts.update(id, { suspension_reason: 'Too many raccoons.' })
    const custom = await call(account, 'GET', '/api/stats')
    expect([custom.status, custom.json]).toEqual([403, { error: 'Too many raccoons.' }])
  })

  test('spec 5.7: a disabled API answers 503 to everybody', async () => {
    control.settings.update({ api_enabled: false })
    const answers = [await call(target, 'GET', '/api/stats'), await target.send('GET', '/api/uploads')]
    control.settings.update({ api_enabled: true })
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([503, { error: 'API temporarily disabled.' }])
      expect(answer.headers.get('Retry-After')).toBe('60')
    }
  })

  test('spec 5.8: whoever has the key is the account', async () => {
    const { id, account } = createAccount()
    control.accounts.update(id, { albums: 7 })
    expect((await call(account, 'GET', '/api/stats')).json.albums).toBe(7)
  })

  test('spec 5.9: a new key makes the old one invalid at once', async () => {
    const { id, account } = createAccount()
    const { api_key } = control.accounts.regenerateKey(id)
    expect((await call(account, 'GET', '/api/stats')).status).toBe(401)
    expect((await call({ ...target, apiKey: api_key }, 'GET', '/api/stats')).status).toBe(200)
  })
}
