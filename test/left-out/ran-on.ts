import type { Reporter } from 'vitest/node'

/** Says at the end of a run on which Node it was, for its log to tell the versions of a matrix apart. */
export class RanOn implements Reporter {
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void = (text) => process.stderr.write(text)) {
    this.#write = write
  }

  onTestRunEnd(): void {
    this.#write(`\nThe tests ran on Node ${process.version}\n`)
  }
}
