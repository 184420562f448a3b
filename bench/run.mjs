// Runs every benchmark of this folder, or the ones named: npm run bench -- start-up upload
// Each is a file NAME.bench.mjs whose `run()` prints its own table, as ratios to a floor measured in the same run.
import { readdir } from 'node:fs/promises'

// Options are for the benchmarks themselves.
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.bench.mjs')).sort()
const names = files.map((file) => file.replace('.bench.mjs', ''))
const unknown = wanted.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(', ')}; there are: ${names.join(', ') || 'none yet'}`)
  process.exitCode = 2
} else {
  for (const name of wanted.length > 0 ? wanted : names) {
    console.log(`\n# ${name}`)
    const { run } = await import(`./${name}.bench.mjs`)
    await run()
  }
}
