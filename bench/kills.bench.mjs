// Whether each file is stored exactly once when the program is killed (kill -9) at random times and the same command is
// run again, and when two or three runs work at once, of which some are killed or stand still (SIGSTOP) while answers are
// lost or are not the service's: a real emulator, real processes, real files.
// npm run bench -- kills [--rounds=20]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playRound } from './kills/one-after-another.mjs'
import { writeFiles } from './kills/rig.mjs'
import { playTogether } from './kills/together.mjs'
import { option, startService } from './service.mjs'

const failures = ['lost', 'doubled', 'mixed up', 'wrongly reported']

export async function run() {
  const rounds = Number(option('rounds', 20))
  const root = await mkdtemp(join(tmpdir(), 'fh-kills-'))
  const service = await startService(['--no-quota'])
  try {
    const paths = await writeFiles(root)
    for (const [name, play] of Object.entries({ 'one run after another': playRound, 'runs at once': playTogether })) {
      const totals = { rounds, kills: 0, ...Object.fromEntries(failures.map((failure) => [failure, 0])), unknown: 0 }
      for (let round = 0; round < rounds; round += 1) {
        const state = join(root, `${name.replaceAll(' ', '-')}-${round}`)
        const counts = await play(paths, { service, state })
        for (const [count, value] of Object.entries(counts)) totals[count] = (totals[count] ?? 0) + value
      }
      console.log(`\n## ${name}`)
      for (const [count, value] of Object.entries(totals))
        console.log(`  ${count.padEnd(24)} ${String(value).padStart(6)}`)
      if (failures.some((failure) => totals[failure] > 0)) process.exitCode = 1
    }
  } finally {
    await service.end()
    await rm(root, { recursive: true, force: true })
  }
}
