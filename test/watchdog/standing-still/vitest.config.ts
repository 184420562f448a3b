import { defineConfig } from 'vitest/config'
import { Watchdog } from '../watchdog.ts'

// A line on standard input lets a minute pass, so that the run does not depend on the speed of the machine.
let now = 0
process.stdin.on('data', () => {
  now += 60_000
})
process.stdin.unref()

/** A run with tests that never end. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.ts'],
    exclude: ['vitest.config.ts'],
    setupFiles: ['../../setup.ts'],
    maxWorkers: 1,
    reporters: ['default', new Watchdog({ patienceMs: 400, now: () => now })],
  },
})
