// Prints the table of docs/performance.md, or runs the benchmarks named: npm run bench -- emulator fleet
// Each is a file NAME.bench.mjs whose `run()` prints its own table, as ratios to a floor measured in the same run.
import { readdir } from 'node:fs/promises'

/** What docs/performance.md shows. */
const table = ['floor', 'list', 'history', 'emulator', 'emulator-gets']
// Options are for the benchmarks themselves.
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.bench.mjs')).sort()
const names = files.map((file) => file.replace('.bench.mjs', ''))
const unknown = wanted.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(', ')}; there are: ${names.join(', ') || 'none yet'}`)
  process.exitCode = 2
} else {
  for (const name of wanted.length > 0 ? wanted : table) {
    console.log(`\n# ${name}`)
    const { run } = await import(`./${name}.bench.mjs`)
    await run()
  }
  // What a killed run of a story held half read is watched for ever.
  process.exit()
}
