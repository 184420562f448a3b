import { expect, test } from 'vitest'
import { mutants } from '../mutants/list/mutants.ts'
import { problemsOf } from '../mutants/mutate.ts'

test('each mutant of the list fits its source and its tests', () => {
  expect(problemsOf(mutants)).toEqual([])
})
