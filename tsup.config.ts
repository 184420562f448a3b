import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { lateModules } from './build/late-modules.ts'
import { regroupChunks } from './build/regroup-chunks.ts'
import { describeService } from './emulator/openapi/document.ts'
import { seedSchema } from './emulator/seed/schema.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

const common: Options = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  silent: true,
}

/** What is bundled is passed on, so its licences are too. */
const licences: Plugin = {
  name: 'licences',
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(async ({ metafile }) => {
      const inputs = Object.keys(metafile?.inputs ?? {})
      const packages = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
      const texts = await Promise.all([...new Set(packages)].sort().map(licenceOf))
      await mkdir('dist/cli', { recursive: true })
      await writeFile('dist/cli/THIRD-PARTY-LICENCES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`))
    })
  },
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : await readFile(`${folder}/${file}`, 'utf8')
  return `${name} ${version} (${license})\n\n${text}`
}

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      emulator: 'emulator/index.ts',
      msw: 'emulator/testing/msw.ts',
      vitest: 'emulator/testing/vitest.ts',
      // In files of their own: bundlers leave out a file that a program does not name.
      client: 'src/client/client.ts',
      'shared-ledger': 'src/client/with-shared-ledger.ts',
      'undici-transport': 'src/client/with-undici-transport.ts',
    },
    external: ['sharp', 'libsql', 'msw', 'vitest'],
    // What is declared speaks of streams and buffers, and newer compilers look for no types by themselves.
    dts: {
      entry: {
        index: 'src/index.ts',
        emulator: 'emulator/index.ts',
        msw: 'emulator/testing/msw.ts',
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
    entry: { browser: 'src/browser.ts' },
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    // Bundled, so that starting fh reads a few files instead of a tree of packages.
    noExternal: [/.*/],
    external: ['sharp', 'libsql'],
    // What removes the prefix would also keep `node:` modules from the plugins.
    removeNodeProtocol: false,
    esbuildPlugins: [lateModules, licences],
    onSuccess: () => regroupChunks('dist'),
    esbuildOptions(options) {
      options.chunkNames = 'cli/[name]-[hash]'
    },
  },
])
