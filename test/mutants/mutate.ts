import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'

/** A rule that is broken by replacing a text of its source. */
export interface Mutant {
  readonly id: string
  /** The rule, in words. */
  readonly rule: string
  /** A text that the source has exactly once. */
  readonly from: string
  readonly to: string
  /** Why it may survive; absent where a test must kill it. */
  readonly known?: string
}

/** The mutants of one source. */
export interface MutantsOfFile {
  readonly file: string
  /** The tests that are to notice, quickest first. */
  readonly tests: readonly string[]
  readonly mutants: readonly Mutant[]
}

export interface PlacedMutant extends Mutant, Pick<MutantsOfFile, 'file' | 'tests'> {}

/** @throws Error that names the mutant whose text the source does not have exactly once */
export function mutated(source: string, { id, file, from, to }: Omit<PlacedMutant, 'rule' | 'tests'>): string {
  const [before = '', ...after] = source.split(from)
  if (after.length === 1) return `${before}${to}${after[0]}`
  throw new Error(`${id}: ${file} has its text ${after.length === 0 ? 'nowhere' : `${after.length} times`}: ${from}`)
}

/** What keeps a list from being tried: each problem names its mutant. */
export function problemsOf(mutants: readonly PlacedMutant[]): readonly string[] {
  const ids = mutants.map(({ id }) => id)
  return mutants.flatMap((mutant, index) => [
    ...(ids.indexOf(mutant.id) < index ? [`${mutant.id}: two mutants have this name`] : []),
    ...mutant.tests.filter((path) => !existsSync(path)).map((path) => `${mutant.id}: there is no ${path}`),
    ...textProblem(mutant),
  ])
}

function textProblem(mutant: PlacedMutant): readonly string[] {
  if (!existsSync(mutant.file)) return [`${mutant.id}: there is no ${mutant.file}`]
  try {
    mutated(readFileSync(mutant.file, 'utf8'), mutant)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** Breaks the rule in memory as the source is loaded; the work tree stays as it is. */
export function mutation(mutant: PlacedMutant): Plugin {
  const path = resolve(mutant.file)
  return {
    name: 'mutation',
    enforce: 'pre',
    transform: (code, id) => (id.replace(/\?.*/, '') === path ? mutated(code, mutant) : undefined),
  }
}
