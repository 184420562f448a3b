import { expect, test } from 'vitest'
import { neededVariables } from '../../../src/environment/emulator-variables.ts'
import { defaultMaxFileSizeBytes } from '../../../src/protocol/media-types.ts'
import { defaultLimits } from '../../../src/protocol/rate-limits.ts'

const usual = { baseUrl: 'http://127.0.0.1:4884', quotas: defaultLimits, maxFileSize: defaultMaxFileSizeBytes }

test('an emulator with the usual limits needs its address, its key and its control address', () => {
  expect(neededVariables({ ...usual, apiKey: 'key' })).toEqual({
    FH_BASE_URL: 'http://127.0.0.1:4884',
    FH_API_KEY: 'key',
    FH_EMULATOR_URL: 'http://127.0.0.1:4884/_emulator',
  })
})

test('other limits are variables too, and a key that is not known is none', () => {
  const variables = neededVariables({ ...usual, apiKey: null, quotas: { ...defaultLimits, burst: 5 }, maxFileSize: 7 })
  expect(variables).toMatchObject({ FH_LIMITS: expect.stringMatching(/^burst=5,/), FH_MAX_FILE_SIZE: '7' })
  expect(variables).not.toHaveProperty('FH_API_KEY')
})
