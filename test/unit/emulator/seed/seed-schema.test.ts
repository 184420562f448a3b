import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator, type Seed } from '../../../../emulator/index.ts'
import { seedKind, seedSchema } from '../../../../emulator/seed/seed.ts'
import { definitions } from '../../../../emulator/settings/definitions.ts'
import { Mismatch } from '../../../../src/checks/values.ts'

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(seedSchema)

const full: Seed = {
  $schema: './node_modules/filehost/seed.schema.json',
  settings: { timezone: 'UTC', quotas: { burst: null, minute: 120 }, page_beyond_last: 404, max_file_size: '10MB' },
  accounts: [
    {
      api_key: 'first-key',
      email: 'one@example.com',
      password: 'secret',
      quotas: { burst: 5 },
      ip_allowlist: ['10.0.0.0/8'],
      albums: 2,
      feed_views: 9,
      uploads: [
        { file: 'photo.jpg', slug: 'a-photo', title: null, views: 3, likes: 1, created_at: '2026-01-01T00:00:00Z' },
        { count: 3, mime_type: 'video/mp4', size: 10, created_at: '2026-01-01T00:00:00Z', interval_seconds: 0.5 },
      ],
    },
    { suspended: true, suspension_reason: 'spam', quotas: null, uploads: { count: 1 } },
  ],
}

const defaults = Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, definition.default]))

test.each<[string, unknown]>([
  ['nothing', {}],
  ['everything there is', full],
  ['every default of a setting', { settings: defaults }],
])('a seed of %s matches the schema, for a validator and for the emulator', (_, seed) => {
  expect(validate(seed)).toBe(true)
  expect(seedKind.read(seed)).not.toBeInstanceOf(Mismatch)
})

/** A copy of a seed with one value at any place replaced. */
function spoilt(value: unknown, path: readonly number[], instead: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return instead
  const entries = Object.entries(value)
  const at = step % (entries.length + 1)
  const [key, inner] = entries[at] ?? ['added', undefined]
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? spoilt(item, rest, instead) : item))
  return { ...value, [key]: spoilt(inner, rest, instead) }
}

test('the emulator and a validator agree on any value whether it is a seed', () => {
  const likely: unknown[] = [null, true, 0, -1, 0.5, '', 'x', '10MB', [], {}, { count: 1 }, { file: 'a' }, [{}], ['x']]
  const instead = fc.oneof(fc.constantFrom(...likely), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 6 }), instead, (path, value) => {
      const seed = spoilt(full, path, value)
      const read = seedKind.read(seed)
      // That a text is no time zone or instant, a schema cannot say.
      const isTime = read instanceof Mismatch && /\.(timezone|created_at)$/.test(read.at) && read.found !== ''
      const isSeed = !(read instanceof Mismatch) || (isTime && typeof read.found === 'string')
      expect(`${JSON.stringify(seed)} ${isSeed}`).toBe(`${JSON.stringify(seed)} ${validate(seed)}`)
    }),
    { numRuns: 2_000 },
  )
})

test.each<[unknown, string]>([
  [[], 'The seed: the seed takes an object with accounts and settings, but got []'],
  [{ format: 'filehost-emulator', version: 4 }, 'is a snapshot, not a seed: PUT it to /_emulator/state'],
  [{ format: 'json' }, '/format is not a field here'],
  [{ acounts: [] }, '/acounts is not a field here; there are $schema, accounts'],
  [{ accounts: [{ 'a/b~c': 1 }] }, '/accounts/0/a~1b~0c is not a field here'],
  [{ accounts: [{ uploads: { count: 0 } }] }, '/accounts/0/uploads/count takes a whole number from 1 to 1000000'],
  [{ settings: { timezone: 'Mars' } }, '/settings/timezone takes an IANA time zone such as "Europe/Bucharest"'],
  [{ accounts: [{ api_key: 'k' }, { api_key: 'k' }] }, '/accounts/1/api_key repeats /accounts/0/api_key; each has'],
  [{ accounts: [{ uploads: { count: 9, interval_seconds: 1e300 } }] }, '/uploads cannot be used: The field interval'],
])('the seed %j is refused with the place and what belongs there', async (seed, message) => {
  await expect(createEmulator({ seed: seed as Seed })).rejects.toThrow(message)
})

test('the option apiKey replaces the first account’s key in a seed', async () => {
  const seed = { accounts: [{ api_key: 'a' }, { api_key: 'b' }] }
  await expect(createEmulator({ seed, apiKey: 'b' })).rejects.toThrow(
    '/accounts/1/api_key repeats /accounts/0/api_key; each has',
  )
})
