import { defineConfig } from 'vitest/config'
import { Watchdog } from '../watchdog.ts'

/** A run with tests that never end; short limits, for nothing of it is worth waiting for. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.ts'],
    exclude: ['vitest.config.ts'],
    setupFiles: ['../../setup.ts'],
    testTimeout: 100,
    maxWorkers: 1,
    reporters: ['default', new Watchdog({ patienceMs: 400 })],
  },
})
