import { expect, test } from 'vitest'
import { mutants } from '../mutants/list/mutants.ts'
import { type Mutant, mutantsIn, mutated, problemsOf } from '../mutants/mutate.ts'

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

test('a mutant whose text the source has twice or not at all is named', () => {
  expect(() => mutated('n < 2 || n < 2', mutant)).toThrow(`cap: ${here} has its text 2 times: n < 2`)
  expect(() => mutated('n < 3', mutant)).toThrow(`cap: ${here} has its text nowhere: n < 2`)
})

test('each mutant of the list fits its source and its tests', () => {
  expect(problemsOf(mutants)).toEqual([])
})
