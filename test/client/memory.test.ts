import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { abortable } from '../../src/client/abortable.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('a chunk that has been passed on is not held for as long as its signal lives', async () => {
  const seen: WeakRef<Uint8Array>[] = []
  async function* chunks() {
    for (let count = 0; count < 20; count += 1) yield new Uint8Array(1_000)
  }
  const { signal } = new AbortController()
  for await (const chunk of abortable(chunks(), signal)) seen.push(new WeakRef(chunk))
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(seen.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(3)
})
