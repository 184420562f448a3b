import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { authenticationClauses } from './authentication.ts'
import { type Clauses, createClauses } from './clauses.ts'
import { dialects } from './dialects.ts'
import { endpointClauses } from './endpoints.ts'
import { errorClauses } from './errors.ts'
import { largestFileClause } from './largest-file.ts'
import { limitClauses } from './limits.ts'
import { resourceClauses } from './resources.ts'
import { accessSilences } from './silences/access.ts'
import { errorSilences } from './silences/errors.ts'
import { lifecycleSilences } from './silences/lifecycle.ts'
import { limitSilences } from './silences/limits.ts'
import { objectSilences } from './silences/objects.ts'
import { pageSilences } from './silences/pages.ts'
import { quotaNoticeSilences } from './silences/quota-notices.ts'
import { routingSilences } from './silences/routing.ts'
import { uploadSilences } from './silences/uploading.ts'
import {
  type ContractTarget,
  foreignTarget,
  inProcessTarget,
  interceptedTarget,
  type OwnTarget,
  socketTarget,
} from './targets.ts'

/** The spec's clauses, for any service. */
function spec(target: ContractTarget, clauses: Clauses): void {
  resourceClauses(target, clauses)
  endpointClauses(target, clauses)
  authenticationClauses(target, clauses)
  errorClauses(target, clauses)
  limitClauses(target, clauses)
}

/** The emulator's choices where the spec leaves one. */
function silences(target: OwnTarget, clauses: Clauses): void {
  objectSilences(target, clauses)
  pageSilences(target, clauses)
  lifecycleSilences(target, clauses)
  uploadSilences(target, clauses)
  routingSilences(target, clauses)
  accessSilences(target, clauses)
  errorSilences(target, clauses)
  limitSilences(target, clauses)
  quotaNoticeSilences(target, clauses)
}

/** At least two days later, so that every window is empty, and at noon, when all begin. */
function nextNoon({ emulator: { clock, control } }: OwnTarget): Promise<unknown> {
  const day = 86_400_000
  return control.clock.set((Math.ceil((clock.now() - day / 2) / day) + 2) * day + day / 2)
}

function holds(target: OwnTarget): readonly string[] {
  const clauses = createClauses(target.dialect, dialects[target.dialect].departures)
  beforeEach(() => nextNoon(target))
  afterAll(() => target.close())
  spec(target, clauses)
  silences(target, clauses)
  clauses.fact('the tests see every answer that the OpenAPI document describes', [], async () =>
    target.description.documented.filter((answer) => !target.description.met.has(answer)),
  )
  return clauses.titles
}

const ownTargets = [
  await inProcessTarget('spec'),
  await inProcessTarget('laravel'),
  await inProcessTarget('hostile'),
  await socketTarget('spec'),
  await socketTarget('laravel'),
  await socketTarget('hostile'),
  await interceptedTarget('spec'),
  await interceptedTarget('laravel'),
  await interceptedTarget('hostile'),
]

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

describe('the largest file', async () => {
  const target = await inProcessTarget('spec')
  afterAll(() => target.close())
  largestFileClause(target)
})

const { FH_CONTRACT_URL: url, FH_CONTRACT_KEY: key } = process.env
const foreignTargets = url && key ? [foreignTarget(url.replace(/\/+$/, ''), key)] : []

for (const target of foreignTargets) {
  describe(
    `the service ${target.name}`,
    takesLong(600, 'the quota of a service on the system clock is waited for'),
    () => {
      spec(target, createClauses('foreign', dialects.foreign.departures))
    },
  )
}
