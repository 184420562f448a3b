import { writeFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { lateModules } from './build/late-modules.ts'
import { licences } from './build/licences.ts'
import { nodeImports } from './build/node-imports.ts'
import { pageAssets } from './build/page-assets.ts'
import { regroupChunks } from './build/regroup-chunks.ts'
import { unusedParts } from './build/unused-parts.ts'
import { describeService } from './emulator/openapi/document.ts'
import { seedSchema } from './emulator/seed/seed-schema.ts'

const common: Options = {
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  splitting: true,
  silent: true,
}

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      emulator: 'emulator/index.ts',
      ledger: 'src/ledger.ts',
      matchers: 'emulator/testing/matchers.ts',
      msw: 'emulator/testing/msw.ts',
      redis: 'src/redis.ts',
      vitest: 'emulator/testing/vitest.ts',
      // In files of their own: bundlers leave out a file that a program does not name.
      client: 'src/client/client.ts',
      'node-transport': 'src/client/transports/node-transport.ts',
      'shared-ledger': 'src/client/with-shared-ledger.ts',
      'undici-transport': 'src/client/with-undici-transport.ts',
    },
    external: ['sharp', 'msw', 'vitest', '@redis/client', 'redis'],
    // Before all other imports.
    banner: { js: "import '../bin/node-version.mjs'" },
    esbuildPlugins: [unusedParts, nodeImports, pageAssets, licences('dist/THIRD-PARTY-LICENCES.txt')],
    // What is declared speaks of streams and buffers, and newer compilers look for no types by themselves.
    dts: {
      entry: {
        index: 'src/index.ts',
        emulator: 'emulator/index.ts',
        ledger: 'src/ledger.ts',
        matchers: 'emulator/testing/matchers.ts',
        msw: 'emulator/testing/msw.ts',
        redis: 'src/redis.ts',
        vitest: 'emulator/testing/vitest.ts',
      },
      banner: '/// <reference types="node" />',
    },
    async onSuccess() {
      await writeFile('dist/openapi.json', `${JSON.stringify(describeService(), null, 2)}\n`)
      await writeFile('dist/seed.schema.json', `${JSON.stringify(seedSchema, null, 2)}\n`)
    },
  },
  {
    ...common,
    platform: 'browser',
    splitting: false,
    entry: { browser: 'src/browser.ts', 'emulator-browser': 'emulator/testing/browser.ts' },
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    // Bundled, so that starting fh reads a few files instead of a tree of packages.
    noExternal: [/^(?!(@redis\/client|redis)$)/],
    external: ['sharp', '@redis/client', 'redis'],
    // What removes the prefix would also keep `node:` modules from the plugins.
    removeNodeProtocol: false,
    esbuildPlugins: [lateModules, unusedParts, pageAssets, licences('dist/cli/THIRD-PARTY-LICENCES.txt')],
    onSuccess: () => regroupChunks('dist'),
    esbuildOptions(options) {
      options.chunkNames = 'cli/[name]-[hash]'
    },
  },
])
