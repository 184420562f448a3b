// Seconds of the test commands and of each suite, and what share of them only loads the files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const suites = ['unit', 'contract', 'cli', 'library', 'programs', 'fuzz']
const projects = suites.map((name) => `--project=${name}`)
// --all measures what `npm run test:all` adds too, without the fresh projects.
const withRest = process.argv.includes('--all')

export function run() {
  const folder = mkdtempSync(join(tmpdir(), 'fh-bench-'))
  const report = join(folder, 'report.json')
  const loading = seconds([...projects, '--testNamePattern=no test has this name', '--passWithNoTests'])
  const everything = seconds(projects, report)
  const rows = [
    { command: 'loading the files of npm test (floor)', seconds: loading, ratio: 1 },
    { command: 'npm test, without the build', seconds: everything, ratio: everything / loading },
  ]
  const quick = seconds(undefined)
  rows.push({ command: 'npm run test:quick', seconds: quick, ratio: quick / loading })
  const tables = [readFileSync(report, 'utf8')]
  if (withRest) {
    const rest = seconds(['--project=all:*'], report)
    rows.push({ command: 'npm run test:all, without fresh projects', seconds: rest, ratio: rest / loading })
    tables.push(readFileSync(report, 'utf8'))
  }
  rmSync(folder, { recursive: true })
  console.table(rows.map((row) => ({ ...row, seconds: row.seconds.toFixed(1), ratio: row.ratio.toFixed(2) })))
  for (const table of tables) console.table(byFolder(JSON.parse(table)))
}

/** Runs vitest with these arguments, or `npm run test:quick` without any. */
function seconds(args, report) {
  const begun = performance.now()
  const [program, words] = args ? ['npx', ['vitest', 'run', ...args]] : ['npm', ['run', 'test:quick']]
  const { status, stdout } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, ...(report && { TEST_REPORT: report }) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (status !== 0) console.error(`${program} ${words.join(' ')} ended with ${status}:\n${stdout.slice(-2_000)}`)
  return (performance.now() - begun) / 1_000
}

/** Tests in a folder run one after the other in a worker; several workers run side by side. */
function byFolder({ testResults }) {
  const folders = {}
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const [, folder, second] = relative(process.cwd(), name).split('/')
    const suite = folder === 'unit' ? `unit/${second}` : folder
    folders[suite] ??= { files: 0, tests: 0, seconds: 0 }
    const row = folders[suite]
    row.files += 1
    row.tests += assertionResults.length
    row.seconds += (endTime - startTime) / 1_000
  }
  for (const row of Object.values(folders)) row.seconds = Number(row.seconds.toFixed(1))
  return folders
}
