import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { dotenvLines } from '../../../src/environment/dotenv.ts'

test.each([
  'http://127.0.0.1:4884',
  'burst=20,minute=60',
  'two words',
  '$HOME # no comment',
  "it's",
  'a "quoted" word',
  'it\'s "both"',
  'back\\slash\\n',
  '`',
])('the value %s of a .env file is read back as it is', (value) => {
  expect(parseEnv(dotenvLines({ FH_API_KEY: value }).join('\n'))).toEqual({ FH_API_KEY: value })
})

test('a plain value of a .env file has no quotes, which Docker would take for a part of it', () => {
  expect(dotenvLines({ FH_LIMITS: 'burst=20,minute=none' })).toEqual(['FH_LIMITS=burst=20,minute=none'])
})
