import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const config = fileURLToPath(new URL('../watchdog/stuck/vitest.config.ts', import.meta.url))

test('a run with a test that blocks its process ends, names the test and the program it started, and fails', async () => {
  const child = spawn(process.execPath, [vitest, 'run', '--config', config])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.on('data', (said: Buffer) => {
    if (said.includes('has started')) child.stdin.write('a minute passes\n')
  })
  // The program shares stdout: 'close' comes once it has ended too.
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(stderr).toMatch(/The run is stuck: .*\n.* > blocks its process .*\n +has started \d+: .*setInterval/)
  expect(code).toBe(1)
})
