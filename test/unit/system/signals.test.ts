import { getEventListeners } from 'node:events'
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

test('a joined signal leaves no listener behind, once one has aborted or it is needed no more', () => {
  const [one, two, until] = [new AbortController(), new AbortController(), new AbortController()]
  const joined = anySignal([one.signal, two.signal], until.signal)
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(1)
  until.abort()
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(0)
  one.abort()
  expect(joined.aborted).toBe(false)
  const [three, four] = [new AbortController(), new AbortController()]
  anySignal([three.signal, four.signal])
  three.abort()
  expect(getEventListeners(four.signal, 'abort')).toHaveLength(0)
})
