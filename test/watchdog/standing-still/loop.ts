import { writeSync } from 'node:fs'
import { test } from 'vitest'

test('never gives its process back', () => {
  writeSync(1, 'the loop has started\n')
  for (;;);
})
