import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

test('blocks its process until a program ends, which never does', () => {
  const program = "console.log('the program has started'); setInterval(() => {}, 1_000)"
  spawnSync(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] })
})
