import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'] } },
      { test: { name: 'all', include: ['test/**/*.test.ts'], exclude: ['test/contract/**'] } },
    ],
  },
})
