// Twenty runners that share one key through Redis: real processes, and a network that delays by up to 50 ms each way.
// npm run bench -- fleet [--part=pace,kills,calls] [--kinds=fixed,aligned,…] [--ledger=redis|file]
//   [--runners=20] [--files=80] [--share=split|all] [--kills=50]
import { spawnSync } from 'node:child_process'
import { withBelongings } from './fleet/belongings.mjs'
import { option } from './service.mjs'

const MINUTE_MS = 60_000
const limitMs = {
  pace: 40 * MINUTE_MS,
  kills: 20 * MINUTE_MS,
  calls: 15 * MINUTE_MS,
}
/** Pictures of a run. */
const files = { pace: 80, kills: 90 }

export async function run() {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    console.log('redis-server is not installed: left out')
    return
  }
  for (const part of option('part', Object.keys(limitMs).join()).split(',')) {
    const options = {
      kinds: option('kinds', 'fixed,aligned,sliding,sliding_counter,token_bucket').split(','),
      ledger: option('ledger', 'redis'),
      runners: Number(option('runners', 20)),
      files: Number(option('files', files[part])),
      share: option('share', 'split'),
      kills: Number(option('kills', 50)),
    }
    console.log(`\n## ${part}`)
    const module = await import(`./fleet/${part}.mjs`)
    await withBelongings((belongings) => module[part](belongings, options), limitMs[part])
  }
}
