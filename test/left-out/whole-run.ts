import { spawnSync } from 'node:child_process'
import type { Reporter, TestModule } from 'vitest/node'

/** More than twice what any test may take. */
const STILL_MS = 300_000

/**
 * Ends a run that is stuck: the limit of a test ends one that waits, but none that blocks its process. Says at the end on which
 * Node it was, for its log to tell the versions of a matrix apart.
 */
export class WholeRun implements Reporter {
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#running.add(relativeModuleId)
    this.#move()
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId)
    this.#move()
  }

  onTestCaseResult(): void {
    this.#move()
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer)
    process.stderr.write(`\nThe tests ran on Node ${process.version}\n`)
  }

  #move(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      process.stderr.write(`\nNo test has ended for ${STILL_MS / 60_000} minutes in ${[...this.#running].join(', ')}\n`)
      // A worker that is blocked would outlive this process.
      spawnSync('pkill', ['-KILL', '-P', String(process.pid)])
      process.exit(1)
    }, STILL_MS)
  }
}
