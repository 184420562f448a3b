import { defineConfig } from 'vitest/config'
import { pageAssetsOfTests } from '../../build/page-assets.ts'
import { mutants } from './list/mutants.ts'
import { mutation } from './mutate.ts'

const name = process.env['MUTANT']
const mutant = mutants.find(({ id }) => id === name)
if (name !== undefined && mutant === undefined) throw new Error(`There is no mutant ${name}`)

/** Tests with one rule of the sources broken, or with none: `npm run test:mutants`. */
export default defineConfig({
  plugins: [pageAssetsOfTests, ...(mutant ? [mutation(mutant)] : [])],
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // It knows a module by its text on the disk: each mutant would be the first one that was tried.
    fsModuleCache: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
