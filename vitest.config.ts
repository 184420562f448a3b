import { defineConfig } from 'vitest/config'

/** A test that hangs ends, but how busy a machine is decides nothing; nor does chance. */
const common = { testTimeout: 600_000, hookTimeout: 600_000, setupFiles: ['test/setup.ts'] }

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'contract', include: ['test/contract/**/*.test.ts'] } },
      { test: { ...common, name: 'all', include: ['test/**/*.test.ts'], exclude: ['test/contract/**'] } },
    ],
  },
})
