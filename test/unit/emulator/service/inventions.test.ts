import { expect, test } from 'vitest'
import { createInventions, randomText, secureBytes, seededBytes } from '../../../../emulator/service/inventions.ts'

test.each([
  ['secure', secureBytes],
  ['seeded', seededBytes('a seed')],
])('random text from %s bytes has the requested length and uses every letter and digit', (_, nextByte) => {
  const text = randomText(20_000, nextByte)
  expect(text).toMatch(/^[A-Za-z0-9]{20000}$/)
  expect(new Set(text).size).toBe(62)
})

function tenOfEach(inventions = createInventions()): readonly string[] {
  const { apiKey, email, password, slug } = inventions
  const make = () => [apiKey(), email(), password(), slug('alnum10'), slug('nanoid21'), slug('uuid')]
  return Array.from({ length: 10 }, make).flat()
}

test('inventions with one seed are the same, with another or none they differ, and each has its form', () => {
  const seeded = tenOfEach(createInventions('a'))
  expect(tenOfEach(createInventions('a'))).toEqual(seeded)
  const others = [tenOfEach(createInventions('b')), tenOfEach(createInventions(1)), tenOfEach(), tenOfEach()]
  const all = [seeded, ...others, tenOfEach(createInventions('a', 'seed'))].flat()
  expect(new Set(all).size).toBe(all.length)
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  const forms = [/^\w{40}$/, /^[a-z0-9]{8}@example\.com$/, /^\w{16}$/, /^\w{10}$/, /^[\w-]{21}$/, uuid]
  for (const [at, text] of all.entries()) expect(text).toMatch(forms[at % forms.length] ?? /^$/)
})

test('more accounts change no slug, and a restart begins again', () => {
  const [one, other] = [createInventions(7), createInventions(7)]
  const first = one.slug('alnum10')
  tenOfEach(other)
  other.restart()
  for (let at = 0; at < 5; at += 1) other.apiKey()
  expect(other.slug('alnum10')).toBe(first)
})
