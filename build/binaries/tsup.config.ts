import { build } from 'esbuild'
import { defineConfig } from 'tsup'
import { lateModules } from '../late-modules.ts'
import { licences } from '../licences.ts'
import { pageAssets } from '../page-assets.ts'
import { regroupChunks } from '../regroup-chunks.ts'
import { unusedParts } from '../unused-parts.ts'
import { missingParts } from './missing-parts.ts'

const folder = 'binaries/bundle'

/**
 * All of `fh` in one file, for the runtime that becomes part of the binary. It is made of the same chunks as the package's
 * `fh`, each in a function of its own: with all modules side by side, `fh --version` takes a third more.
 */
export default defineConfig({
  entry: { cli: 'src/cli/main.ts' },
  outDir: folder,
  clean: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  splitting: true,
  silent: true,
  noExternal: [/./],
  removeNodeProtocol: false,
  // For bundled packages that take it for a path, as every system has them. Else it would be the path of this checkout.
  define: { 'import.meta.url': '"file:///C:/fh"' },
  esbuildPlugins: [missingParts, lateModules, unusedParts, pageAssets, licences(`${folder}/THIRD-PARTY-LICENCES.txt`)],
  async onSuccess() {
    await regroupChunks(folder)
    const entryPoints = [`${folder}/cli.cjs`]
    await build({ entryPoints, outfile: `${folder}/fh.cjs`, bundle: true, platform: 'node', logLevel: 'error' })
  },
  esbuildOptions(options) {
    options.chunkNames = 'cli/[name]-[hash]'
  },
})
