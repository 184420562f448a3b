import { defineConfig } from 'vitest/config'
import { Watchdog } from '../watchdog.ts'

// A line on standard input lets a minute pass, so that the run does not depend on the speed of the machine.
let now = 0
process.stdin.on('data', () => {
  now += 60_000
})
process.stdin.unref()

/** A run with a test that never ends. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['program.ts'],
    setupFiles: ['../../setup.ts'],
    reporters: ['default', new Watchdog(400, () => now)],
  },
})
