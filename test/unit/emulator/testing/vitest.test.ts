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
  describe.concurrent('in tests that run at the same time', () => {
    emulatorTest.for([1, 2, 3, 4])(
      'has for each an account with quotas of its own: %i',
      async (_, { emulator, apiKey, account }) => {
        seen.push({ emulator, apiKey })
        expect(account.api_key).toBe(apiKey)
        const statuses: number[] = []
        for (let count = 0; count < 3; count += 1) statuses.push(await upload(emulator, apiKey))
        // The third in ten seconds is one too many, whoever else is at it.
        expect(statuses).toEqual([201, 201, 429])
        expect(emulator.control.requests.list({ account_id: account.id }).requests).toHaveLength(3)
      },
    )
  })

  test('has one emulator for the whole file', () => {
    expect(new Set(seen.map(({ emulator }) => emulator)).size).toBe(1)
    expect(new Set(seen.map(({ apiKey }) => apiKey)).size).toBe(4)
  })

  emulatorTest(
    'listens where a test asks for an address, on a virtual clock',
    async ({ emulator, baseUrl, apiKey }) => {
      const answer = await fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': apiKey } })
      expect([answer.status, emulator.control.clock.get().mode]).toEqual([200, 'virtual'])
    },
  )

  strictTest('takes other options for the emulator', async ({ emulator, apiKey }) => {
    expect(await upload(emulator, apiKey)).toBe(201)
    expect(await upload(emulator, apiKey)).toBe(429)
    expect(seen.map((one) => one.emulator)).not.toContain(emulator)
  })

  emulatorTest('leaves the clock of the file to be moved', async ({ emulator, apiKey }) => {
    for (let count = 0; count < 2; count += 1) expect(await upload(emulator, apiKey)).toBe(201)
    await emulator.control.clock.advance('11s')
    expect(await upload(emulator, apiKey)).toBe(201)
  })
})

afterAll(() => expect(seen).toHaveLength(4))
