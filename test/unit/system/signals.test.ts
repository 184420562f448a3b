import { expect, onTestFinished, test } from 'vitest'
import { anySignal } from '../../../src/system/signals.ts'

test.each([true, false])('a signal of several aborts with the first of them (AbortSignal.any: %s)', (hasAny) => {
  const { any } = AbortSignal
  onTestFinished(() => {
    AbortSignal.any = any
  })
  if (!hasAny) Reflect.deleteProperty(AbortSignal, 'any')
  const [one, two] = [new AbortController(), new AbortController()]
  const both = anySignal([one.signal, two.signal])
  expect(both.aborted).toBe(false)
  two.abort('second')
  one.abort('first')
  expect([both.aborted, both.reason]).toEqual([true, 'second'])
  expect(anySignal([one.signal]).reason).toBe('first')
})
