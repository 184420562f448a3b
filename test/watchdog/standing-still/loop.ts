import { test } from 'vitest'

test('never gives its process back', () => {
  for (;;);
})
