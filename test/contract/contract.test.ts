import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { clausesOf, nextNoon, specClauses } from './all-clauses.ts'
import { createClauses } from './clauses.ts'
import { dialects } from './dialects.ts'
import { foreignTarget, inProcessTarget, type OwnTarget } from './targets.ts'

function holds(target: OwnTarget): readonly string[] {
  const clauses = clausesOf(target)
  clauses.fact('the tests see every answer that the OpenAPI document describes', [], async () =>
    target.description.documented.filter((answer) => !target.description.met.has(answer)),
  )
  beforeEach(() => nextNoon(target))
  afterAll(() => target.close())
  for (const { name, body } of clauses.cases) test(name, body)
  return clauses.cases.map(({ title }) => title)
}

const ownTargets = [await inProcessTarget('spec'), await inProcessTarget('laravel'), await inProcessTarget('hostile')]

const titles = new Map<string, readonly string[]>()
for (const target of ownTargets)
  describe(`the emulator ${target.name}`, () => void titles.set(target.name, holds(target)))

describe('the dialects', () => {
  test('every target runs the same clauses', () => {
    const [first, ...others] = titles.values()
    for (const other of others) expect(other).toEqual(first)
  })

  test.each(Object.entries(dialects))('the dialect %s departs only from existing clauses', (_, { departures }) => {
    const known = [...titles.values()].flat()
    expect(Object.keys(departures).filter((title) => !known.includes(title))).toEqual([])
  })
})

const { FH_CONTRACT_URL: url, FH_CONTRACT_KEY: key } = process.env
const foreignTargets = url && key ? [foreignTarget(url.replace(/\/+$/, ''), key)] : []

for (const target of foreignTargets) {
  describe(
    `the service ${target.name}`,
    takesLong(600, 'the quota of a service on the system clock is waited for'),
    () => {
      const clauses = createClauses('foreign', dialects.foreign.departures)
      specClauses(target, clauses)
      for (const { name, body } of clauses.cases) test(name, body)
    },
  )
}
