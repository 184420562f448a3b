import { expect, test } from 'vitest'
import { mutants } from '../mutants/list/mutants.ts'
import { type Mutant, mutantsIn, mutated, problemsOf } from '../mutants/mutate.ts'
import { failureOf, lastLine, survivors } from '../mutants/outcomes.ts'

const here = 'test/package/mutants.test.ts'
const mutant: Mutant = { id: 'cap', rule: 'At most two', from: 'n < 2', to: 'n <= 2', file: here, tests: [here] }

test('a list has mutants by their sources and tests, each with its name, its rule, and the lines before and after', () => {
  const place = { file: 'src/pacing/queue.ts', tests: ['test/unit/pacing/queue.test.ts', here] }
  const app = { file: 'emulator/app.ts', tests: ['test/unit/emulator/app.test.ts'] }
  const list = `
# Rules of a queue

here = ${here}

src/pacing/queue.ts: own, here
  cap: At most two
    - n < 2
    -   n += 1
    + n <= 2
  order: First come, first served
    - push
    ? No answer shows it

emulator/app.ts: own
  open: It opens
    - open()
`
  expect(mutantsIn(list)).toEqual([
    { ...place, id: 'cap', rule: 'At most two', from: 'n < 2\n  n += 1', to: 'n <= 2' },
    { ...place, id: 'order', rule: 'First come, first served', from: 'push', to: '', known: 'No answer shows it' },
    { ...app, id: 'open', rule: 'It opens', from: 'open()', to: '' },
  ])
})

test('a mutant replaces its text, and nothing else', () => {
  expect(mutated('a\nif (n < 2) b\n', mutant)).toBe('a\nif (n <= 2) b\n')
  expect(mutated('n < 2', { ...mutant, to: '$&' })).toBe('$&')
})

test('a mutant whose text the source has twice or not at all is named', () => {
  expect(() => mutated('n < 2 || n < 2', mutant)).toThrow(`cap: ${here} has its text 2 times: n < 2`)
  expect(() => mutated('n < 3', mutant)).toThrow(`cap: ${here} has its text nowhere: n < 2`)
})

test('a list names mutants of one name, and sources and tests that are gone', () => {
  const fits = { ...mutant, file: 'test/mutants/run.mjs', from: 'runnerImport(' }
  expect(problemsOf([fits])).toEqual([])
  expect(problemsOf([fits, { ...fits, tests: ['gone.test.ts'] }, { ...mutant, id: 'other', file: 'gone.ts' }])).toEqual(
    ['cap: two mutants have this name', 'cap: there is no gone.test.ts', 'other: there is no gone.ts'],
  )
})

test('each mutant of the list fits its source and its tests', () => {
  expect(problemsOf(mutants)).toEqual([])
})

test('survivors are told with their rule, and the last line is the score', () => {
  const known = { ...mutant, id: 'known', known: 'No answer shows it' }
  const outcomes = [
    { mutant, killedBy: 'a test' },
    { mutant: { ...mutant, id: 'left' }, killedBy: undefined },
    { mutant: known, killedBy: undefined },
  ]
  expect(survivors(outcomes)).toEqual([
    `SURVIVOR left (${here}): At most two`,
    `known: No answer shows it known (${here}): At most two`,
  ])
  expect(lastLine(outcomes)).toBe('1 of 3 mutants were killed')
})

test('a mutant that breaks its source as it is loaded is no killed one', () => {
  expect(() => failureOf('no-report.json', 'SyntaxError')).toThrow('vitest failed, but no test did: SyntaxError')
})
