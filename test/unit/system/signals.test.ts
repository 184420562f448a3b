import { expect, test } from 'vitest'
import { anySignal } from '../../../src/system/signals.ts'

test('a signal of several aborts with the reason of the first of them that aborted', () => {
  const [one, two] = [new AbortController(), new AbortController()]
  const both = anySignal([one.signal, two.signal])
  expect(both.aborted).toBe(false)
  two.abort('second')
  one.abort('first')
  expect([both.aborted, both.reason]).toEqual([true, 'second'])
  expect(anySignal([one.signal, two.signal]).reason).toBe('first')
})
