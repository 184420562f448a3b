import { defineConfig } from 'vitest/config'

/** A test that hangs ends, but how busy a machine is decides nothing. */
const patience = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { ...patience, name: 'contract', include: ['test/contract/**/*.test.ts'] } },
      { test: { ...patience, name: 'all', include: ['test/**/*.test.ts'], exclude: ['test/contract/**'] } },
    ],
  },
})
