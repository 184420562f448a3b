import { afterAll, describe, expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { emulatorTest } from '../../../../emulator/testing/vitest.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'

const seen: { readonly emulator: Emulator; readonly apiKey: string }[] = []

const strictTest = emulatorTest.extend({
  emulatorOptions: [{ clock: 'virtual' as const, quotas: { burst: 10 } }, { scope: 'file' }],
})

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
    emulatorTest.for([1, 2, 3, 4])(
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

  emulatorTest(
    'emulatorTest listens for a test that uses baseUrl, on a virtual clock',
    async ({ emulator, baseUrl, apiKey }) => {
      const answer = await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': apiKey } })
      expect([answer.status, emulator.control.clock.get().mode]).toEqual([200, 'virtual'])
    },
  )

  strictTest('a test extended from emulatorTest can set emulatorOptions', async ({ emulator, apiKey }) => {
    expect(await upload(emulator, apiKey)).toBe(201)
    expect(await upload(emulator, apiKey)).toBe(429)
    expect(seen.map((one) => one.emulator)).not.toContain(emulator)
  })

  emulatorTest('emulatorTest lets a test move the clock of its file', async ({ emulator, apiKey }) => {
    for (let count = 0; count < 2; count += 1) expect(await upload(emulator, apiKey)).toBe(201)
    await emulator.control.clock.advance('11s')
    expect(await upload(emulator, apiKey)).toBe(201)
  })
})

afterAll(() => expect(seen).toHaveLength(4))
