import { expect, test } from 'vitest'
import { type BatchItem, exitCodeOf, exitCodeOfBatch } from '../../../../src/cli/failures/exit-codes.ts'
import { TimeoutError } from '../../../../src/index.ts'

// test/cli/exit-codes.test.ts has what the service answers.
test('the exit code of a timeout is 5, of an abort 130, and of a bug 1', () => {
  const errors = [new TimeoutError('x'), new DOMException('x', 'AbortError'), new TypeError('x'), 'x']
  expect(errors.map(exitCodeOf)).toEqual([5, 130, 1, 1])
})

const uploaded: BatchItem = { status: 'uploaded', error: null }
const unknown: BatchItem = { status: 'unknown', error: { exitCode: 8 } }
const failed = (exitCode: number): BatchItem => ({ status: 'failed', error: { exitCode } })

// test/cli/batch-outcomes.test.ts has mixtures.
test.each<[string, readonly BatchItem[], number]>([
  ['nothing to do', [], 0],
  ['all failed for one reason', [failed(4), failed(4)], 4],
  ['an unknown outcome among successes', [uploaded, unknown], 8],
  ['only unknown outcomes', [unknown], 8],
])('a batch exits as documented with %s', (_, items, code) => {
  expect(exitCodeOfBatch(items)).toBe(code)
})
