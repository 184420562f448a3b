import { defineConfig } from 'vitest/config'

/** Where the report of `npm run test:all` is written, if anywhere; that of these tests lies beside it. */
const report = process.env['TEST_REPORT']

/** Fresh projects that install the package as a user does: minutes, a registry and a browser, so not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/consumers/*.test.ts'],
    // It gives the reason of a skipped test.
    reporters: ['verbose', ...(report === undefined ? [] : ['json'])],
    ...(report !== undefined && { outputFile: { json: report.replace(/\.json$/, '.consumers.json') } }),
    globalSetup: ['test/consumers/helpers/packed.ts'],
    setupFiles: ['test/consumers/helpers/environment.ts'],
    retry: Number(process.env['TEST_RETRIES'] ?? 0),
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each project starts programs of its own that need the processor.
    fileParallelism: false,
  },
})
