import { expect } from 'vitest'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { multipartForm } from '../../helpers/multipart-form.ts'
import { createAccount, spend, withSettings } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, postForm, uploadFile } from '../media.ts'
import type { OwnTarget } from '../targets.ts'

/** Choices on spec 8: what is charged and refused. */
export function limitSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control } = target.emulator
  const stats = (account: OwnTarget) => call(account, 'GET', '/api/stats')
  const status = async (account: OwnTarget) => (await stats(account)).status
  const emptyUpload = (account: OwnTarget) => postForm(account, multipartForm({ name: 'other', content: '' }))
  const used = (id: number) => {
    const { burst, minute, hour, day } = control.accounts.quota(id)
    return [burst, minute, hour, day].map((window) => window.used)
  }

  const ended = [429, 429, 200, 200]

  fact('silence 82: a window begins with its first charge and ends one length later', ended, async () => {
    const { account } = createAccount(target, { quotas: { ...unlimited, burst: 2 } })
    await control.clock.advance('7s')
    await spend(account, 1)
    await control.clock.advance('4s')
    await spend(account, 1)
    const statuses = [await status(account)]
    await control.clock.advance('5999ms')
    statuses.push(await status(account))
    await control.clock.advance('1ms')
    return [...statuses, await status(account), await status(account)]
  })

  const uncharged = [429, [11, 11, 11, 11], 0]

  fact(
    'silence 83, 84, 88: a request that would exceed one limit is refused and charged to none',
    uncharged,
    async () => {
      const { id, account } = createAccount(target, { quotas: { ...unlimited, hour: 20 } })
      await spend(account, 11)
      return [(await uploadFile(account)).status, used(id), control.accounts.get(id).uploads]
    },
  )

  clause('silence 85: a 404 or 422 costs as much as a success', async () => {
    const { id, account } = createAccount(target)
    const missing = await call(account, 'GET', '/api/uploads/none')
    const invalid = await emptyUpload(account)
    expect([missing.status, invalid.status]).toEqual([404, 422])
    expect(used(id)).toEqual([11, 11, 11, 11])
  })

  fact('silence 86: neither a 401, 403 or 503 nor an unknown path is charged', 0, async () => {
    const { id, account } = createAccount(target, { suspended: true })
    await stats(account)
    control.accounts.update(id, { suspended: false, ip_allowlist: ['10.0.0.1'] })
    await stats(account)
    control.accounts.update(id, { ip_allowlist: [] })
    await call(account, 'GET', '/api/nope')
    withSettings(target, { api_enabled: false })
    await stats(account)
    return used(id)[1]
  })

  clause('spec 4.1, 8.7: the largest file has 209,715,200 bytes', async () => {
    expect(control.settings.get().max_file_size).toBe(209_715_200)
  })

  clause('silence 98: the limits of an account can be configured', async () => {
    const { account } = createAccount(target, { quotas: { ...unlimited, minute: 70 } })
    expect((await stats(account)).headers.get('X-RateLimit-Limit')).toBe('70')
  })

  clause('silence 99: of parallel requests exactly as many are admitted as there are units', async () => {
    const { account } = createAccount(target)
    const answers = await Promise.all(Array.from({ length: 50 }, () => stats(account)))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20)
  })

  clause('silence 102: a new key starts with unused windows', async () => {
    const { id, account } = createAccount(target)
    await spend(account, 20)
    const { api_key } = control.accounts.regenerateKey(id)
    expect(used(id)).toEqual([0, 0, 0, 0])
    expect(await status({ ...account, apiKey: api_key })).toBe(200)
  })
}
