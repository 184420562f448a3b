import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { pageAssetsOfTests } from './build/page-assets.ts'
import { LeftOut } from './test/left-out/left-out.ts'
import { SampleSeed, seedOfRun } from './test/sampling/seed.ts'

/**
 * A test that may take longer says why: `takesLong` in test/helpers. A runner whose cores are shared may give a test another
 * try, which the report names.
 */
const limits = {
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // Seconds that only a busy machine takes.
  expect: { poll: { timeout: 20_000 } },
  retry: Number(process.env['TEST_RETRIES'] ?? 0),
}
/** One process for many files: a third of the start-up, and test/setup.ts keeps the modules apart that they mock. */
const quick = { isolate: false }

/** Tests of the command line as a program need a process of their own only where the program is started. */
const inProcess = ['contract', 'unit', 'cli', 'fuzz']
/**
 * Folders whose tests start few programs or none: these too share processes. Those of `test/fuzz/` keep their own: they use
 * AsyncLocalStorage, which before Node 24 makes every promise of its process three times as dear for good.
 */
const library = ['client', 'pacing']
/** What `npm test` leaves to `npm run test:all`: other people's programs, browsers, runtimes, and the types of the package. */
const foreign = ['test/foreign/**/*.test.ts', 'test/client/environments/**/*.test.ts']
const elsewhere = ['test/browser/**', 'test/consumers/**']

/** Where a report for programs is written too, if anywhere. */
const jsonFile = process.env['TEST_REPORT']

export default defineConfig({
  // The sources import stylesheets and scripts of pages.
  plugins: [pageAssetsOfTests],
  test: {
    ...limits,
    setupFiles: ['test/setup.ts'],
    // Two cores are the usual runner. The default leaves one of them idle; a third worker fills the time in which others
    // wait for the programs that they started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: [
      'default',
      ...(jsonFile === undefined ? [] : ['json']),
      new LeftOut(),
      new SampleSeed(seedOfRun(process.env)),
    ],
    ...(jsonFile !== undefined && { outputFile: { json: jsonFile } }),
    projects: [
      ...inProcess.map((name) => ({
        test: {
          ...quick,
          name,
          include: [`test/${name}/**/*.test.ts`],
          env: name === 'unit' ? { TEST_SHARES_MODULES: 'yes' } : {},
        },
      })),
      {
        test: { ...quick, name: 'library', include: [`test/{${library}}/**/*.test.ts`], exclude: foreign },
      },
      {
        test: {
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: [...[...inProcess, ...library].map((name) => `test/${name}/**`), ...foreign, ...elsewhere],
        },
      },
      // The tests of the command line once more, with each fh as a program: `npm run test:programs`.
      {
        test: {
          ...quick,
          name: 'as-program',
          include: ['test/cli/**/*.test.ts'],
          env: { TEST_FH: resolve(process.env['TEST_FH'] ?? 'bin/fh.js') },
        },
      },
      {
        test: {
          name: 'all:rest',
          include: ['test/**/*.sampled.test.ts'],
          env: { FH_TEST_PART: 'rest' },
        },
      },
      { test: { name: 'all:foreign', include: foreign } },
      {
        test: {
          name: 'all:browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/harness/setup.ts'],
        },
      },
      // The same in the Firefox that TEST_FIREFOX names, without one that is about Chromium.
      {
        test: {
          name: 'all:firefox',
          include: ['test/browser/**/*.test.ts'],
          exclude: ['test/browser/website-example.test.ts'],
          env: { TEST_BROWSER: 'firefox' },
        },
      },
    ],
  },
})
