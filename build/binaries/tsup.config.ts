import { defineConfig } from 'tsup'
import { licences } from '../licences.ts'
import { pageAssets } from '../page-assets.ts'
import { missingParts } from './missing-parts.ts'

const folder = 'binaries/bundle'

/**
 * `fh` in files of CommonJS, which the runtime of the binary compiles ahead. Each start runs those alone that the command
 * imports; in one file, it would make all functions of `fh` first.
 */
export default defineConfig({
  entry: { fh: 'src/cli/main.ts' },
  outDir: folder,
  clean: true,
  format: 'cjs',
  splitting: true,
  treeshake: true,
  platform: 'node',
  target: 'node22.19',
  silent: true,
  noExternal: [/^(?!undici\/)/],
  removeNodeProtocol: false,
  // For bundled packages that take it for a path, as every system has them. Else it would be the path of this checkout.
  define: { 'import.meta.url': '"file:///C:/fh"' },
  esbuildPlugins: [missingParts, pageAssets, licences(`${folder}/THIRD-PARTY-LICENCES.txt`)],
})
