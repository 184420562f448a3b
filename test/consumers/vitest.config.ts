import { defineConfig } from 'vitest/config'

/** Fresh projects that install the package as a user does: minutes, a registry and a browser, so not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/consumers/*.test.ts'],
    // It gives the reason of a skipped test.
    reporters: ['verbose'],
    globalSetup: ['test/consumers/helpers/packed.ts'],
    setupFiles: ['test/consumers/helpers/environment.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each project starts programs of its own that need the processor.
    fileParallelism: false,
  },
})
