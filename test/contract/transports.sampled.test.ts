import { afterAll, describe, test } from 'vitest'
import { sample } from '../sampling/sample.ts'
import { clausesOf, nextNoon } from './all-clauses.ts'
import { interceptedTarget, socketTarget } from './targets.ts'

const targets = [
  await socketTarget('spec'),
  await socketTarget('laravel'),
  await socketTarget('hostile'),
  await interceptedTarget('spec'),
  await interceptedTarget('laravel'),
  await interceptedTarget('hostile'),
]
afterAll(async () => {
  for (const target of targets) await target.close()
})

const cases = targets.flatMap((target) => clausesOf(target).cases.map((contractCase) => ({ target, ...contractCase })))
const drawn = sample(cases, 90)

for (const target of targets) {
  describe(`the emulator ${target.name}`, () => {
    for (const { name, body } of drawn.filter((found) => found.target === target)) {
      test(name, async () => {
        await nextNoon(target)
        await body()
      })
    }
  })
}
