import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/clock.ts'
import type { CliEvent } from '../../../../src/cli/output/events.ts'
import { JsonPrinter, type JsonPrinterOptions } from '../../../../src/cli/output/json.ts'
import type { TextOptions } from '../../../../src/cli/output/text.ts'
import { traceLines } from '../../../../src/cli/output/wire-text.ts'
import type { ClientEvent } from '../../../../src/index.ts'
import { jsonLines } from '../../../helpers/rig.ts'
import { calm, recorder, textPrinter } from './text-printer.ts'

function asText(events: readonly CliEvent[], options: Partial<TextOptions> = {}) {
  const { printer, printed } = textPrinter(options)
  for (const event of events) printer.report(event)
  printer.close()
  return printed
}

const request = { method: 'GET', path: '/api/stats' }

test('a wait of two seconds or more is printed once for all requests that wait, and not with --quiet', () => {
  const wait = (delayMs: number): CliEvent => ({
    type: 'wire',
    event: { type: 'wait', request, window: 'minute', source: 'retry-after', delayMs },
  })
  expect(asText([wait(1_300), wait(42_000), wait(42_100), wait(7_200_000)]).stderr).toBe(
    'Waiting 42 s for the minute quota, until 12:00:42\n' + 'Waiting 2 h for the minute quota, until 14:00\n',
  )
  expect(asText([wait(42_000)], { verbosity: { ...calm, quiet: true } }).stderr).toBe('')
})

test('a wait is a line of JSON on stderr when it begins, and each 30 s until it ends, but for --quiet', async () => {
  const clock = createVirtualClock()
  const printerOf = (verbosity: JsonPrinterOptions['verbosity']) => {
    const { printed, output } = recorder()
    const rest = { fields: undefined, isTerminal: false, lines: true, document: 'list' } as const
    return { printed, reporter: new JsonPrinter({ output, clock, verbosity, ...rest }) }
  }
  const { printed, reporter } = printerOf(calm)
  const waits = (delayMs: number) =>
    reporter.report({ type: 'wire', event: { type: 'wait', request, window: 'hour', source: 'ledger', delayMs } })
  const told = (seconds: number, window: string | null = 'hour', source = 'ledger') => {
    return { type: 'wait', delay_ms: seconds * 1_000, window, source }
  }
  for (const delayMs of [1_900, 96_000, 96_500]) waits(delayMs)
  await clock.advance(95_000)
  await clock.advance(60_000)
  reporter.report({ type: 'wire', event: { type: 'retry', request, attempt: 1, delayMs: 70_000, reason: '' } })
  await clock.advance(40_000)
  reporter.report({ type: 'wire', event: { type: 'request', request, attempt: 2, headers: {} } })
  await clock.advance(30_000)
  waits(100_000)
  reporter.close()
  await clock.advance(60_000)
  expect(jsonLines(printed.stderr)).toEqual([
    ...[96, 66, 36, 6].map((seconds) => told(seconds)),
    ...[70, 40, 10].map((seconds) => told(seconds, null, 'retry')),
    told(100),
  ])
  const quiet = printerOf({ ...calm, quiet: true })
  quiet.reporter.report({
    type: 'wire',
    event: { type: 'wait', request, window: 'hour', source: 'ledger', delayMs: 5_000 },
  })
  quiet.reporter.close()
  expect(quiet.printed.stderr).toBe('')
})

test('a line about a wait says that its length is estimated', () => {
  const wait: ClientEvent = { type: 'wait', request, window: 'burst', source: 'guess', delayMs: 5_250 }
  const told = asText([{ type: 'wire', event: wait }])
  expect(told.stderr).toBe('Waiting about 5 s for the burst quota, until 12:00:05\n')
  expect(traceLines(wait)).toEqual(['! Waiting about 5 s for the burst quota'])
})
