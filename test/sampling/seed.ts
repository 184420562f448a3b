import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Reporter } from 'vitest/node'

/** Names the seed of all samples; workers inherit the variable. */
const variable = 'FH_TEST_SEED'

/**
 * The seed of a run: the one that is given by hand, or one that changes with the commit, so that the commits of a week
 * try what one run has no time for. A checkout without Git has always the same.
 *
 * @throws Error where the seed by hand is no whole number
 */
export function seedOfRun(env: Readonly<Record<string, string | undefined>>): number {
  const given = env[variable]
  if (given === undefined) return createHash('sha256').update(currentCommit()).digest().readUInt32BE() % 1_000_000_000
  if (!/^\d{1,9}$/.test(given)) throw new Error(`${variable} is a whole number of at most nine digits, not ${given}`)
  return Number(given)
}

function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

/** Gives the workers the seed, and says at the end of a run how to repeat its samples. */
export class SampleSeed implements Reporter {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
    process.env[variable] = String(seed)
  }

  onTestRunEnd(): void {
    process.stderr.write(`\nThe samples were drawn with ${variable}=${this.#seed}\n`)
  }
}
