import { defineConfig } from 'tsup'
import { licences } from '../licences.ts'
import { pageAssets } from '../page-assets.ts'
import { unusedParts } from '../unused-parts.ts'
import { missingParts } from './missing-parts.ts'

/** All of `fh` in one file, for the runtime that becomes part of the binary. */
export default defineConfig({
  entry: { fh: 'src/cli/main.ts' },
  outDir: 'binaries/bundle',
  clean: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  splitting: false,
  silent: true,
  noExternal: [/./],
  removeNodeProtocol: false,
  // For bundled packages that take it for a path, as every system has them. Else it would be the path of this checkout.
  define: { 'import.meta.url': '"file:///C:/fh"' },
  esbuildPlugins: [missingParts, unusedParts, pageAssets, licences('binaries/bundle/THIRD-PARTY-LICENCES.txt')],
})
