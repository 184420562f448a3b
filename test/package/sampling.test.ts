import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { sample } from '../sampling/sample.ts'

const cases = Array.from({ length: 40 }, (_, index) => index)

test('the sample and the rest hold each case once, in its order, and another seed draws others', () => {
  const samples = [0, 1, 4_711, 0].map((seed) => {
    const [some, others] = [sample(cases, 7, seed, false), sample(cases, 7, seed, true)]
    expect([some.length, others.length]).toEqual([7, 33])
    expect([...some, ...others].sort((a, b) => a - b)).toEqual(cases)
    expect(some).toEqual([...some].sort((a, b) => a - b))
    return some.join()
  })
  expect(new Set(samples).size).toBe(3)
  expect(() => sample(cases, 40)).toThrow('A sample of 40 leaves nothing of 40 cases')
})

test('only files named *.sampled.test.ts draw samples, for npm run test:all runs the rest of those alone', () => {
  const drawing = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes("/sample.ts'"))
  const named = [...globSync('test/**/*.sampled.test.ts'), 'test/package/sampling.test.ts']
  expect(drawing.sort()).toEqual(named.sort())
})
