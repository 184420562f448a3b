import { memoryUsage } from 'node:process'
import { expect, test } from 'vitest'
import { createByteGarbage } from '../../../../../emulator/http/adapters/serving.ts'

test('of 256 MiB in chunks that are done with, less than 16 MiB are in memory at a time', () => {
  const garbage = createByteGarbage()
  const before = memoryUsage().arrayBuffers
  for (let chunk = 0; chunk < 4096; chunk += 1) {
    garbage.count(Buffer.allocUnsafeSlow(65_536).length)
    expect(memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_048_576)
  }
  expect(Reflect.has(globalThis, 'gc')).toBe(false)
})
