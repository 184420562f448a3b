import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Mutant } from './mutate.ts'

export interface Outcome {
  readonly mutant: Mutant
  /** The test that failed, or what hung; undefined where the mutant survives. */
  readonly killedBy: string | undefined
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
export function failureOf(report: string, said: string): string {
  const files = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults : []
  for (const { name, assertionResults } of files) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return `${relative(process.cwd(), name)} > ${failed.fullName}`
  }
  throw new Error(`vitest failed, but no test did: ${said.trim()}`)
}

/** A line for each mutant that no test notices. */
export function survivors(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes
    .filter(({ killedBy }) => killedBy === undefined)
    .map(
      ({ mutant: { id, file, rule, known } }) => `${known ? `known: ${known}` : 'SURVIVOR'} ${id} (${file}): ${rule}`,
    )
}

export function lastLine(outcomes: readonly Outcome[]): string {
  const killed = outcomes.filter(({ killedBy }) => killedBy !== undefined).length
  return `${killed} of ${outcomes.length} mutants were killed`
}
