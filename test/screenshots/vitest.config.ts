import { defineConfig } from 'vitest/config'
import { pageAssetsOfTests } from '../../build/page-assets.ts'

/** Draws the pages for the README and docs/website.md: `npm run screenshots`. */
export default defineConfig({
  plugins: [pageAssetsOfTests],
  test: {
    include: ['test/screenshots/pictures.ts'],
    globalSetup: ['test/browser/harness/setup.ts'],
    testTimeout: 300_000,
  },
})
