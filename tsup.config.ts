import { defineConfig, type Options } from 'tsup'

const common: Options = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  clean: false,
  silent: true,
}

export default defineConfig([
  {
    ...common,
    entry: { index: 'src/index.ts', emulator: 'emulator/index.ts' },
    dts: true,
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    outDir: 'dist',
    // Bundled, so that starting fh reads two small files instead of a tree of packages.
    noExternal: [/.*/],
    external: ['sharp'],
    esbuildOptions(options) {
      options.chunkNames = 'cli/[name]-[hash]'
    },
    // CommonJS packages inside an ES module call require() for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  },
])
