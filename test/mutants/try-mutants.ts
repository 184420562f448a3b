import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { mutants } from './list/mutants.ts'
import { type Mutant, problemsOf } from './mutate.ts'

interface Outcome {
  readonly mutant: Mutant
  /** The test that failed, or what hung; undefined where the mutant survives. */
  readonly killedBy: string | undefined
}

/** Each runs a vitest, which has one worker. */
const mostAtOnce = Math.min(availableParallelism(), 2)
/** Of one test file; several times what the slowest takes on a busy machine. */
const longestMs = 150_000

const vitest = 'node_modules/vitest/vitest.mjs'
/** Of the vitests at work. Each is its process group, because a worker that hangs outlives the vitest that started it. */
const groups = new Set<number>()
const endAll = () => {
  for (const group of groups) process.kill(-group, 'SIGKILL')
}

const print = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Tries each mutant whose name, source or tests contain one of the words; all of them without words.
 * @returns the exit code
 */
export async function tryMutants(words: readonly string[]): Promise<number> {
  const isAsked = ({ id, file, tests }: Mutant) =>
    words.length === 0 || words.some((word) => [id, file, ...tests].some((text) => text.includes(word)))
  const tried = mutants.filter(isAsked)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => [endAll(), process.exit(130)])
  const problems = problemsOf(tried)
  if (problems.length > 0) return failed('The list of mutants does not fit:', problems)
  const sound = await runTests([...new Set(tried.flatMap(({ tests }) => tests))], undefined)
  if (sound.type !== 'passed') return failed('Without a mutant these tests fail:', [sound.by])
  const outcomes: Outcome[] = []
  const left = [...tried]
  const tryNext = async () => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const outcome = await tryMutant(mutant)
      outcomes.push(outcome)
      print(
        `${outcome.killedBy === undefined ? 'SURVIVES' : 'killed'} ${mutant.id}: ${outcome.killedBy ?? mutant.rule}`,
      )
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, tryNext))
  const surviving = outcomes.flatMap(({ mutant, killedBy }) => (killedBy === undefined ? [mutant] : []))
  for (const { id, file, rule, known } of surviving) {
    print(`${known ? `known: ${known}` : 'SURVIVOR'} ${id} (${file}): ${rule}`)
  }
  print(`${outcomes.length - surviving.length} of ${outcomes.length} mutants were killed`)
  return surviving.some(({ known }) => known === undefined) ? 1 : 0
}

function failed(what: string, problems: readonly string[]): number {
  print([what, ...problems].join('\n  '))
  return 1
}

async function tryMutant(mutant: Mutant): Promise<Outcome> {
  for (const path of mutant.tests) {
    const end = await runTests([path], mutant.id)
    if (end.type !== 'passed') return { mutant, killedBy: end.by }
  }
  return { mutant, killedBy: undefined }
}

type End = { readonly type: 'passed' } | { readonly type: 'failed'; readonly by: string }

/** Runs test files until one test fails. @throws Error where vitest fails without a failed test */
async function runTests(paths: readonly string[], mutant: string | undefined): Promise<End> {
  const folder = mkdtempSync(join(tmpdir(), 'fh-mutants-'))
  const report = join(folder, 'report.json')
  try {
    const options = ['--config=test/mutants/vitest.config.ts', '--reporter=json', `--outputFile=${report}`, '--bail=1']
    // A list of all files takes longer than one, and has both cores to itself.
    const [workers, limitMs] = mutant === undefined ? [mostAtOnce, longestMs * paths.length] : [1, longestMs]
    const child = spawn(process.execPath, [vitest, 'run', ...options, `--maxWorkers=${workers}`, ...paths], {
      env: { ...process.env, ...(mutant !== undefined && { MUTANT: mutant }) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    const group = child.pid ?? 0
    groups.add(group)
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const limit = setTimeout(() => process.kill(-group, 'SIGKILL'), limitMs)
    const code = await new Promise<number | null>((done) => child.once('close', done))
    clearTimeout(limit)
    groups.delete(group)
    if (code === null) return { type: 'failed', by: `a hang of ${paths.join(', ')}` }
    if (code === 0) return { type: 'passed' }
    return { type: 'failed', by: failureOf(report, said) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Vitest's report, as far as it counts here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/**
 * The first test that failed.
 * @param said what vitest wrote besides
 * @throws Error where none did: a mutant that breaks a file as it is loaded shows nothing of the tests
 */
function failureOf(report: string, said: string): string {
  const files = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults : []
  for (const { name, assertionResults } of files) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return `${relative(process.cwd(), name)} > ${failed.fullName}`
  }
  throw new Error(`vitest failed, but no test did: ${said.trim()}`)
}
