import { writeFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { licences } from './build/licences.ts'
import { pageAssets } from './build/page-assets.ts'
import { describeService } from './emulator/openapi/document.ts'
import { seedSchema } from './emulator/seed/seed.ts'

const common: Options = {
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  splitting: true,
  silent: true,
  // Says for tests which sources are in which file; it is no part of the package.
  metafile: true,
  removeNodeProtocol: false,
}

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      emulator: 'emulator/index.ts',
      matchers: 'emulator/testing/matchers.ts',
      msw: 'emulator/testing/msw.ts',
      redis: 'src/redis.ts',
      vitest: 'emulator/testing/vitest.ts',
    },
    external: ['sharp', 'msw', 'vitest', '@redis/client', 'redis'],
    // Before all other imports; and for form-data, which is CommonJS: what it requires that is not bundled is Node's.
    banner: { js: "import '../bin/node-version.mjs'\nconst require = process.getBuiltinModule" },
    esbuildPlugins: [pageAssets, licences('dist/THIRD-PARTY-LICENCES.txt')],
    // What is declared speaks of streams and buffers, and newer compilers look for no types by themselves.
    dts: { banner: '/// <reference types="node" />' },
    async onSuccess() {
      await writeFile('dist/openapi.json', `${JSON.stringify(describeService(), null, 2)}\n`)
      await writeFile('dist/seed.schema.json', `${JSON.stringify(seedSchema, null, 2)}\n`)
    },
  },
  {
    ...common,
    platform: 'browser',
    splitting: false,
    // It would have the name of the other one.
    metafile: false,
    entry: { browser: 'src/browser.ts', 'emulator-browser': 'emulator/testing/browser.ts' },
  },
  {
    ...common,
    // An import of an ES module reads all names of a module of Node, of which `fetch` is one of `http`.
    format: 'cjs',
    // CommonJS is split by Rollup then, which leaves the code as it is; minified, it is half as much to install.
    treeshake: true,
    minify: true,
    entry: { 'cli/main': 'src/cli/main.ts' },
    // Bundled, so that starting fh reads few files; but not undici, which fh imports nowhere: packed, it would stay.
    noExternal: [/^(?!(@redis\/client|redis)$|undici\/)/],
    external: ['sharp', '@redis/client', 'redis'],
    esbuildPlugins: [pageAssets, licences('dist/cli/THIRD-PARTY-LICENCES.txt')],
    esbuildOptions(options) {
      options.chunkNames = 'cli/[name]-[hash]'
      // Not by `import()`, for which Node 22 first reads all names of a file. One chunk requires for all: in one folder.
      options.supported = { ...options.supported, 'dynamic-import': false }
    },
  },
])
