import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { sample, sampledRuns } from '../sampling/sample.ts'
import { SampleSeed, seedOfRun } from '../sampling/seed.ts'

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

test('a property tries other cases in the rest than in the sample, or those that RUNS and SEED name by hand', () => {
  expect(sampledRuns(100, 20, 5, false, {})).toEqual({ seed: 5, numRuns: 20 })
  expect(sampledRuns(100, 20, 5, true, {})).toEqual({ seed: 6, numRuns: 80 })
  expect(sampledRuns(100, 20, 5, true, { RUNS: '400', SEED: '7' })).toEqual({ seed: 7, numRuns: 400 })
})

test('only files named *.sampled.test.ts draw samples, for npm run test:all runs the rest of those alone', () => {
  const drawing = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes("/sample.ts'"))
  const named = [...globSync('test/**/*.sampled.test.ts'), 'test/package/sampling.test.ts']
  expect(drawing.sort()).toEqual(named.sort())
})

test('the seed changes with the commit, and FH_TEST_SEED repeats one, if it is a number', () => {
  expect(seedOfRun({}, 'a')).toBe(seedOfRun({}, 'a'))
  expect(seedOfRun({}, 'a')).not.toBe(seedOfRun({}, 'b'))
  expect(seedOfRun({ FH_TEST_SEED: '12' }, 'a')).toBe(12)
  for (const given of ['', 'x', '-1', '1234567890']) {
    expect(() => seedOfRun({ FH_TEST_SEED: given })).toThrow(/^FH_TEST_SEED is a whole number of at most nine digits/)
  }
})

test('a run says at its end with which seed it drew', () => {
  const said: string[] = []
  const before = process.env['FH_TEST_SEED']
  new SampleSeed(12, (text) => said.push(text)).onTestRunEnd()
  process.env['FH_TEST_SEED'] = before
  expect(said.join('')).toBe('\nThe samples were drawn with FH_TEST_SEED=12\n')
})
