import { expect } from 'vitest'
import { endpoints } from '../../src/protocol/endpoints.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { createAccount, spend, withSettings } from './accounts.ts'
import type { Clauses } from './clauses.ts'
import { call, uploadFile } from './media.ts'
import { type Answer, type ContractTarget, isOwn, type OwnTarget } from './targets.ts'

/** Spec 8: quotas. */
export function limitClauses(target: ContractTarget, { clause, fact }: Clauses): void {
  clause('spec 8.1: a successful answer has the limit, the remaining units, the reset and the cost', async () => {
    const { headers } = await call(target, 'GET', '/api/stats')
    const values = ['Limit', 'Remaining', 'Reset', 'Cost'].map((name) => headers.get(`X-RateLimit-${name}`))
    expect(values).toEqual(values.map(() => expect.stringMatching(/^\d+$/)))
    expect(Number(values[1])).toBeLessThan(Number(values[0]))
  })

  clause('spec 8: an upload costs 10 units, a deletion 3, everything else 1', async () => {
    const upload = await uploadFile(target)
    const path = `/api/uploads/${upload.json.upload.slug}`
    await target.emulator?.control.clock.advance('1m')
    const list = await call(target, 'GET', '/api/uploads')
    const show = await call(target, 'GET', path)
    const stats = await call(target, 'GET', '/api/stats')
    const deletion = await call(target, 'DELETE', path)
    expect([upload, list, show, stats, deletion].map(costTold)).toEqual(['10', '1', '1', '1', '3'])
  })

  if (isOwn(target)) ownLimitClauses(target, { clause, fact })
}

const remainingTold = ({ headers }: Answer) => headers.get('X-RateLimit-Remaining')
const costTold = ({ headers }: Answer) => headers.get('X-RateLimit-Cost')

const defaultLimits = [20, 60, 1_000, 10_000]

/** The error of each window, and how many units fill it. */
const refusals = [
  { quotas: { ...unlimited, burst: 20 }, units: 20, error: 'Burst limit exceeded. Slow down.' },
  { quotas: { ...unlimited, minute: 60 }, units: 60, error: 'Rate limit exceeded (per minute).' },
  { quotas: { ...unlimited, hour: 12 }, units: 12, error: 'Rate limit exceeded (per hour).' },
  { quotas: { ...unlimited, day: 12 }, units: 12, error: 'Rate limit exceeded (per day).' },
]

function ownLimitClauses(target: OwnTarget, { clause, fact }: Pick<Clauses, 'clause' | 'fact'>): void {
  const { control } = target.emulator

  fact(
    'spec 8: the limits are 20 in ten seconds, 60 a minute, 1,000 an hour, 10,000 a day',
    defaultLimits,
    async () => {
      const { burst, minute, hour, day } = control.accounts.quota(createAccount(target).id)
      return [burst, minute, hour, day].map(({ limit }) => limit)
    },
  )

  fact(
    'spec 8.1, silence 89, 90: the headers report the minute, and the remaining units fall by each cost',
    ['60', '59', '56'],
    async () => {
      const { id, account } = createAccount(target)
      const { slugs } = control.accounts.addUploads(id, { count: 1 })
      const first = await call(account, 'GET', '/api/stats')
      const second = await call(account, 'DELETE', `/api/uploads/${slugs[0]}`)
      return [first.headers.get('X-RateLimit-Limit'), remainingTold(first), remainingTold(second)]
    },
  )

  for (const { quotas, units, error } of refusals) {
    clause(`spec 8.5: beyond the ${units} units of a window, a request is refused with ${error}`, async () => {
      const { account } = createAccount(target, { quotas })
      const answers = await spend(account, units)
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      const refused = await call(account, 'GET', '/api/stats')
      expect([refused.status, refused.json]).toEqual([429, { error }])
      await control.clock.advance('2d')
      expect((await call(account, 'GET', '/api/stats')).status).toBe(200)
    })
  }

  for (const { method, path } of Object.values(endpoints)) {
    clause(`spec 8.5: ${method} ${path} is refused when no units remain`, async () => {
      const { account } = createAccount(target, { quotas: { burst: 0 } })
      expect((await call(account, method, path.replace('{slug}', 'any'))).status).toBe(429)
    })
  }

  clause('spec 8: each account has its own quotas', async () => {
    const { account } = createAccount(target)
    await spend(account, 21)
    expect((await call(createAccount(target).account, 'GET', '/api/stats')).status).toBe(200)
  })

  clause('spec 8.6: a 401, 403 or 503 has no quota headers', async () => {
    const { account } = createAccount(target, { suspended: true })
    const suspended = await call(account, 'GET', '/api/stats')
    withSettings(target, { api_enabled: false })
    const disabled = await call(account, 'GET', '/api/stats')
    const names = [suspended, disabled].flatMap(({ headers }) => [...headers.keys()])
    expect(names.filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })
}
