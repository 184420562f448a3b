import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

test('waits for a program that never ends', () => {
  const program = "console.log('the program has started'); setInterval(() => {}, 1_000)"
  spawnSync(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] })
})
