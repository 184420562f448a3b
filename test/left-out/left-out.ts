import type { Reporter, TestCase } from 'vitest/node'

/** The beginning of a note with which a test is skipped because this machine lacks something. */
const MARK = 'left out: '

/** Says at the end of a run, once for each reason, which tests this machine could not run, and what it lacks. */
export class LeftOut implements Reporter {
  readonly #counts = new Map<string, number>()

  onTestRunStart(): void {
    this.#counts.clear()
  }

  onTestCaseResult(testCase: Pick<TestCase, 'result'>): void {
    const result = testCase.result()
    if (result.state !== 'skipped' || !result.note?.startsWith(MARK)) return
    const reason = result.note.slice(MARK.length)
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1)
  }

  onTestRunEnd(): void {
    for (const [reason, count] of this.#counts) {
      process.stderr.write(`\n${count} ${count === 1 ? 'test was' : 'tests were'} left out: ${reason}\n`)
    }
  }
}
