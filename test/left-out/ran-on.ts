import type { Reporter } from 'vitest/node'

/** Says at the end of a run on which Node it was, for its log to tell the versions of a matrix apart. */
export class RanOn implements Reporter {
  onTestRunEnd(): void {
    process.stderr.write(`\nThe tests ran on Node ${process.version}\n`)
  }
}
