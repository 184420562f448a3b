import { expect, test } from 'vitest'
import { LeftOut } from '../left-out/left-out.ts'
import { RanOn } from '../left-out/ran-on.ts'

test('a run says once for each reason how many tests this machine left out, and nothing of other skipped tests', () => {
  const said: string[] = []
  const reporter = new LeftOut((text) => said.push(text))
  const skipped = (note: string | undefined) =>
    reporter.onTestCaseResult({ result: () => ({ state: 'skipped', note, errors: undefined }) })
  reporter.onTestRunStart()
  skipped('left out: this machine has no Chromium')
  skipped('left out: this machine has no Redis')
  skipped('left out: this machine has no Chromium')
  skipped('not today')
  skipped(undefined)
  reporter.onTestCaseResult({ result: () => ({ state: 'passed', errors: undefined }) })
  reporter.onTestRunEnd()
  expect(said).toEqual([
    '\n2 tests were left out: this machine has no Chromium\n',
    '\n1 test was left out: this machine has no Redis\n',
  ])
})

test('a run says at its end on which Node it was', () => {
  const said: string[] = []
  new RanOn((text) => said.push(text)).onTestRunEnd()
  expect(said).toEqual([`\nThe tests ran on Node ${process.version}\n`])
})
