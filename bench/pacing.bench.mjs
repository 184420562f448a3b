// How close the pacer comes to the optimum, against simulated services in virtual time, and how often it is refused.
// npm run bench -- pacing [--quick] [--seed=7 | --fresh]
import { importSource } from './import-source.mjs'

export async function run() {
  const options = process.argv.slice(2)
  const named = options.find((option) => option.startsWith('--seed='))?.slice('--seed='.length)
  const seed = options.includes('--fresh') ? Math.floor(Math.random() * 1e6) : Number(named ?? 1)
  const quick = options.includes('--quick')
  console.log(`seed ${seed}${quick ? ', quick' : ''}; --seed=${seed} repeats this, --fresh takes another one`)
  const { printBurst, printByKind } = await importSource(new URL('./pacing/tables.ts', import.meta.url))
  await printByKind({ seed, quick })
  await printBurst({ seed, quick })
}
