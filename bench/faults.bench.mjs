// Whether each file is stored exactly once and reported correctly in thousands of random sequences of faults and kills:
// `fh upload` against an emulator in virtual time.
// Parts: `alone`, one run after the other; `together`, two or three runs at once on one state folder.
// npm run bench -- faults [--part=together] [--sequences=10000] [--stories=3000] [--seed=7 | --fresh]
import { createServer } from 'vite'
import { importSource } from './import-source.mjs'

export async function run() {
  const options = process.argv.slice(2)
  const numberOf = (name, usual) =>
    Number(options.find((text) => text.startsWith(`--${name}=`))?.split('=')[1] ?? usual)
  const seed = options.includes('--fresh') ? Math.floor(Math.random() * 1e6) : numberOf('seed', 1)
  const counts = { seed, sequences: numberOf('sequences', 10_000), stories: numberOf('stories', 3_000) }
  const wanted = options.find((text) => text.startsWith('--part='))?.split('=')[1]
  const parts = { alone: './faults/table.ts', together: './faults/together-table.ts' }
  console.log(`seed ${seed}; --seed=${seed} repeats this, --fresh takes another one`)
  const { pageAssetsOfTests } = await importSource(new URL('../build/page-assets.ts', import.meta.url))
  // A server rather than one import, because the sources import further modules on demand. Node 22 has no `await using`.
  const server = await createServer({
    configFile: false,
    plugins: [pageAssetsOfTests],
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    oxc: { target: 'node22.19' },
  })
  try {
    for (const [part, file] of Object.entries(parts)) {
      if (wanted !== undefined && wanted !== part) continue
      console.log(`\n## ${part}`)
      const { printTable } = await server.ssrLoadModule(new URL(file, import.meta.url).pathname)
      await printTable(counts)
    }
  } finally {
    await server.close()
  }
}
