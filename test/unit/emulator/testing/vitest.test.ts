import { afterAll, describe, expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { emulatorTest } from '../../../../emulator/testing/vitest.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'

const seen: { readonly emulator: Emulator; readonly apiKey: string }[] = []

const smallTest = emulatorTest.extend({
  emulatorOptions: [{ quotas: { burst: 10 } }, { scope: 'file' }],
})

const defaultTest = emulatorTest.extend({ accountQuotas: 'default' })

async function upload({ fetch }: Emulator, apiKey: string): Promise<number> {
  const { headers, body } = fileForm(jpegBytes(100))
  const request = new Request('http://h/api/upload', {
    method: 'POST',
    body,
    headers: { ...headers, 'X-Api-Key': apiKey },
  })
  return (await fetch(request)).status
}

describe('emulatorTest', () => {
  describe.concurrent('in concurrent tests', () => {
    defaultTest.for([1, 2, 3, 4])(
      'emulatorTest gives each concurrent test an account with its own quotas: %i',
      async (_, { emulator, apiKey, account }) => {
        seen.push({ emulator, apiKey })
        expect(account.api_key).toBe(apiKey)
        const statuses: number[] = []
        for (let count = 0; count < 3; count += 1) statuses.push(await upload(emulator, apiKey))
        // Two uploads in ten seconds are the limit of each account.
        expect(statuses).toEqual([201, 201, 429])
        expect(emulator.control.requests.list({ account_id: account.id }).requests).toHaveLength(3)
      },
    )
  })

  test('emulatorTest has one emulator for the whole file', () => {
    expect(new Set(seen.map(({ emulator }) => emulator)).size).toBe(1)
    expect(new Set(seen.map(({ apiKey }) => apiKey)).size).toBe(4)
  })
})

describe('the client of emulatorTest', () => {
  emulatorTest('a test’s client has the key of its account and no quotas', async ({ client, account, emulator }) => {
    for (let index = 0; index < 30; index += 1) await client.upload(new Blob([jpegBytes(100 + index)]))
    expect((await client.stats()).uploads).toBe(30)
    expect(emulator.control.requests.list({ account_id: account.id }).requests).toHaveLength(31)
    expect(client.quota()).toMatchObject({ minute: { limit: null } })
  })
})

describe('the option accountQuotas', () => {
  const limitsOf = (emulator: Emulator, id: number) =>
    Object.values(emulator.control.accounts.quota(id)).map(({ limit }) => limit)
  const ownTest = emulatorTest.extend({ accountQuotas: { burst: 30, day: null } })

  ownTest('with limits in accountQuotas, a test’s account has them', ({ emulator, account }) => {
    expect(limitsOf(emulator, account.id)).toEqual([30, 60, 1_000, null])
  })

  smallTest('quotas of emulatorOptions are those of a test’s account, on an auto clock', ({ emulator, account }) => {
    expect(limitsOf(emulator, account.id)).toEqual([10, 60, 1_000, 10_000])
    expect(emulator.control.clock.get().mode).toBe('auto')
  })
})

describe('the fixture faults', () => {
  const left: unknown[] = []
  const failing = { action: { type: 'status', status: 503, body: { error: 'Closed' } } } as const

  describe.concurrent('in concurrent tests', () => {
    emulatorTest.for(['one', 'two'])('a fault of test %s strikes it alone', async (_, { faults, emulator, apiKey }) => {
      const stats = async (key: string) => {
        const headers = { 'X-Api-Key': key }
        return (await emulator.fetch(new Request('http://h/api/stats', { headers }))).status
      }
      faults.add({ match: { method: 'GET' }, ...failing })
      expect([await stats(emulator.apiKey), await stats(apiKey), await stats(apiKey)]).toEqual([200, 503, 200])
      faults.add({ times: null, ...failing })
    })
  })

  emulatorTest('the faults of a test are gone after it, and those of others stay', ({ emulator, faults, account }) => {
    left.push(...emulator.control.faults.list())
    emulator.control.faults.add({ match: { account_id: account.id }, ...failing })
    const { match } = faults.add({ match: { account_id: 1 } as object, ...failing })
    expect(match).toEqual({ account_id: account.id })
    emulator.control.faults.clear()
  })

  afterAll(() => expect(left).toEqual([]))
})

afterAll(() => expect(seen).toHaveLength(4))

describe('what a test leaves behind', () => {
  let unawaited: Promise<unknown> | undefined

  emulatorTest('a call that a test does not await begins', ({ client, faults }) => {
    faults.add({ match: { method: 'POST' }, times: null, action: { type: 'status', status: 503 } })
    unawaited = client.upload(new Blob([jpegBytes(100)]))
    unawaited.catch(() => {})
  })

  test('a call that a test of emulatorTest did not await fails after the test, with the reason', async () => {
    await expect(unawaited).rejects.toThrow(/the test that this account belongs to has ended; is an await missing\?/)
  })
})

describe('an account with a small quota', () => {
  const ownTest = emulatorTest.extend({ accountQuotas: { burst: 5 } })

  ownTest('an upload that costs more than accountQuotas allow fails at once', async ({ client }) => {
    await expect(client.upload(new Blob([jpegBytes(100)]))).rejects.toMatchObject({ code: 'over-limit' })
  })
})
