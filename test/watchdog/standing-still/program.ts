import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

test('waits for a program that never ends', () => {
  spawnSync(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
})
