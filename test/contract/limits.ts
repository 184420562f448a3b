import { expect, test } from 'vitest'
import { multipartForm } from '../helpers/multipart-form.ts'
import { call, postForm, uploaded, uploadFile } from './media.ts'
import type { Answer, ContractTarget } from './targets.ts'

/** Spec 8: quotas. */
export function limitClauses(target: ContractTarget): void {
  test('spec 8.1: a successful answer tells the minute’s limit, what remains of it, when it resets, and the cost', async () => {
    const { headers } = await call(target, 'GET', '/api/stats')
    const values = ['Limit', 'Remaining', 'Reset', 'Cost'].map((name) => headers.get(`X-RateLimit-${name}`))
    expect(values).toEqual(values.map(() => expect.stringMatching(/^\d+$/)))
    expect(Number(values[1])).toBeLessThan(Number(values[0]))
  })

  test('spec 8: an upload costs 10 units, a deletion 3, everything else 1', async () => {
    const upload = await uploadFile(target)
    const path = `/api/uploads/${upload.json.upload.slug}`
    const list = await call(target, 'GET', '/api/uploads')
    const show = await call(target, 'GET', path)
    const stats = await call(target, 'GET', '/api/stats')
    const deletion = await call(target, 'DELETE', path)
    expect([upload, list, show, stats, deletion].map(costTold)).toEqual(['10', '1', '1', '1', '3'])
  })

  if (target.emulator !== undefined) ownLimitClauses(target, target.emulator)
}

type Emulator = NonNullable<ContractTarget['emulator']>

const costTold = ({ headers }: Answer) => headers.get('X-RateLimit-Cost')
const remaining = ({ headers }: Answer) => Number(headers.get('X-RateLimit-Remaining'))

function ownLimitClauses(target: ContractTarget, { control, clock }: Emulator): void {
  const createAccount = () => {
    const { id, api_key } = control.accounts.create()
    return { id, account: { ...target, apiKey: api_key } }
  }

  const spend = async (account: ContractTarget, units: number) => {
    const answers: Answer[] = []
    for (let unit = 0; unit < units; unit += 1) answers.push(await call(account, 'GET', '/api/stats'))
    return answers
  }

  test('spec 8.1: what remains goes down by the cost and the reset is the end of the minute', async () => {
    const { account } = createAccount()
    const start = clock.now()
    const first = await call(account, 'GET', '/api/stats')
    await control.clock.advance('5s')
    const second = await call(account, 'DELETE', '/api/uploads/none')
    expect([first, second].map(remaining)).toEqual([59, 56])
    expect(first.headers.get('X-RateLimit-Limit')).toBe('60')
    const resets = [first, second].map(({ headers }) => Number(headers.get('X-RateLimit-Reset')))
    expect(resets).toEqual([1, 1].map(() => Math.ceil((start + 60_000) / 1_000)))
  })

  test('spec 8.5: 20 units in ten seconds are let through and the next is refused, until the ten seconds are over', async () => {
    const { account } = createAccount()
    const answers = await spend(account, 20)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const refused = await call(account, 'GET', '/api/stats')
    expect([refused.status, refused.json]).toEqual([429, { error: 'Burst limit exceeded. Slow down.' }])
    expect([refused.headers.get('Retry-After'), costTold(refused), remaining(refused)]).toEqual(['10', null, 40])
    await control.clock.advance('9999ms')
    expect((await call(account, 'GET', '/api/stats')).headers.get('Retry-After')).toBe('1')
    await control.clock.advance('1ms')
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
  })

  test.each([
    { quotas: { burst: null }, units: 60, seconds: 60, error: 'Rate limit exceeded (per minute).' },
    {
      quotas: { burst: null, minute: null, hour: 12 },
      units: 12,
      seconds: 3_600,
      error: 'Rate limit exceeded (per hour).',
    },
    {
      quotas: { burst: null, minute: null, hour: null, day: 12 },
      units: 12,
      seconds: 86_400,
      error: 'Rate limit exceeded (per day).',
    },
  ])('spec 8.5: more than a window’s limit is refused with $error', async ({ quotas, units, seconds, error }) => {
    const { id, account } = createAccount()
    control.accounts.update(id, { quotas })
    const start = clock.now()
    await spend(account, units)
    const refused = await call(account, 'GET', '/api/stats')
    expect([refused.status, refused.json]).toEqual([429, { error }])
    const wait = Number(refused.headers.get('Retry-After'))
    expect(wait).toBe(Math.ceil(seconds - (clock.now() - start) / 1_000))
    await control.clock.advance(wait * 1_000)
    expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
  })

  test('spec 8.5: an upload that does not fit is refused as a whole and costs nothing', async () => {
    const { account } = createAccount()
    await spend(account, 11)
    expect((await uploadFile(account)).status).toBe(429)
    expect(remaining(await call(account, 'GET', '/api/stats'))).toBe(48)
  })

  test('spec 8: what is not found or not valid costs what it would have cost', async () => {
    const { account } = createAccount()
    const missing = await call(account, 'DELETE', '/api/uploads/none')
    const invalid = await postForm(account, multipartForm({ name: 'other', content: 'text' }))
    expect([missing, invalid].map(costTold)).toEqual(['3', '10'])
    expect([missing, invalid].map(remaining)).toEqual([57, 47])
  })

  test('spec 8.3: from 80 % of the minute on answers are held back, by two seconds at its end', async () => {
    const { id, account } = createAccount()
    control.accounts.update(id, { quotas: { burst: null } })
    const delays: number[] = []
    for (let unit = 1; unit <= 60; unit += 1) {
      const before = clock.now()
      await call(account, 'GET', '/api/stats')
      delays.push(clock.now() - before)
    }
    expect(delays.slice(0, 48)).toEqual(delays.slice(0, 48).map(() => 0))
    expect(delays[48]).toBe(167)
    expect(delays[59]).toBe(2_000)
  })

  test('spec 8: accounts have quotas of their own', async () => {
    const { account } = createAccount()
    await spend(account, 21)
    expect((await call(createAccount().account, 'GET', '/api/stats')).status).toBe(200)
  })

  test('spec 8.6: who is kept out is not charged, and is told nothing of quotas', async () => {
    const { id, account } = createAccount()
    control.accounts.update(id, { suspended: true })
    const suspended = await call(account, 'GET', '/api/stats')
    control.accounts.update(id, { suspended: false })
    control.settings.update({ api_enabled: false })
    const disabled = await call(account, 'GET', '/api/stats')
    control.settings.update({ api_enabled: true })
    const names = [suspended, disabled].flatMap(({ headers }) => [...headers.keys()])
    expect(names.filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    expect(remaining(await call(account, 'GET', '/api/stats'))).toBe(59)
  })

  test('spec 1: every request is logged with endpoint, method, code, address and time', async () => {
    const { id, account } = createAccount()
    await call(account, 'GET', '/api/uploads/none?page=2')
    const at = new Date(clock.now()).toISOString()
    expect(control.requests.list({ account_id: id }).requests).toEqual([
      {
        method: 'GET',
        endpoint: '/api/uploads/none',
        status: 404,
        client_ip: '127.0.0.1',
        at,
        cost: 1,
        account_id: id,
        key_in: 'header',
      },
    ])
  })

  test('spec 2.3: views are those of the feed and of all uploads', async () => {
    const { id, account } = createAccount()
    const { slug } = await uploaded(account)
    await control.uploads.update(slug, { views: 5 })
    control.accounts.update(id, { feed_views: 100 })
    expect((await call(account, 'GET', '/api/stats')).json.total_views).toBe(105)
  })
}
