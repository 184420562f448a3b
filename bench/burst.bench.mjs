// How close processes that share a key come to the optimum where only the burst binds, in virtual time.
// npm run bench -- burst [--seed=1]
import { importSource } from './import-source.mjs'

export async function run() {
  const seed = Number(process.argv.find((text) => text.startsWith('--seed='))?.slice('--seed='.length) ?? 1)
  const { printBurst } = await importSource(new URL('./pacing/burst.ts', import.meta.url))
  await printBurst(seed)
}
