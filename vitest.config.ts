import { defineConfig } from 'vitest/config'
import { pageAssetsOfTests } from './build/page-assets.ts'
import { LeftOut } from './test/left-out/left-out.ts'
import { Watchdog } from './test/watchdog/watchdog.ts'

/** A test that may take longer says why: `takesLong` in test/helpers. */
const limits = { testTimeout: 30_000, hookTimeout: 30_000 }
const common = { ...limits, setupFiles: ['test/setup.ts'] }
/** One process for many files: a third of the start-up, and test/setup.ts keeps their modules apart. */
const quick = { ...common, isolate: false }
/** The sources import stylesheets and scripts of pages. */
const plugins = [pageAssetsOfTests]

/** Where a report for programs is written too, if anywhere. */
const jsonFile = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    // Two cores are the usual runner: the default leaves one of them idle, and a whole run takes twice as long.
    maxWorkers: '100%',
    reporters: ['default', ...(jsonFile === undefined ? [] : ['json']), new Watchdog(), new LeftOut()],
    ...(jsonFile !== undefined && { outputFile: { json: jsonFile } }),
    projects: [
      { plugins, test: { ...quick, name: 'contract', include: ['test/contract/**/*.test.ts'] } },
      { plugins, test: { ...quick, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        plugins,
        test: {
          ...common,
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: ['test/contract/**', 'test/unit/**', 'test/consumers/**', 'test/browser/**'],
        },
      },
      {
        plugins,
        test: {
          ...common,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/harness/setup.ts'],
        },
      },
    ],
  },
})
