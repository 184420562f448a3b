import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/clock.ts'
import { describeFailure } from '../../../../src/cli/failures/failure.ts'
import type { CliEvent, ItemRecord } from '../../../../src/cli/output/events.ts'
import { JsonPrinter, type JsonPrinterOptions } from '../../../../src/cli/output/json.ts'
import { failedRecord } from '../../../../src/cli/output/records.ts'
import type { TextOptions } from '../../../../src/cli/output/text-streams.ts'
import { traceLines } from '../../../../src/cli/output/wire-text.ts'
import { type ClientEvent, NotFoundError, RateLimitError } from '../../../../src/index.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { jsonLines } from '../../../helpers/rig.ts'
import { calm, done, failed, recorder, textPrinter } from './text-printer.ts'

function asText(events: readonly CliEvent[], options: Partial<TextOptions> = {}) {
  const { printer, printed } = textPrinter(options)
  for (const event of events) printer.report(event)
  printer.close()
  return printed
}

function asJson(events: readonly CliEvent[], options: Partial<JsonPrinterOptions> = {}) {
  const { printed, output } = recorder()
  const clock = createVirtualClock()
  const usual = {
    output,
    verbosity: calm,
    fields: undefined,
    lines: false,
    isTerminal: false,
    document: 'array',
    clock,
  } as const
  const reporter = new JsonPrinter({ ...usual, ...options })
  for (const event of events) reporter.report(event)
  reporter.close()
  return printed
}

test('uploads as JSON are an array in the order of the arguments or a line when each ends, and a line on stderr for each failure', () => {
  const finished = (index: number, record: ItemRecord) =>
    ({ type: 'item-finished', index, record, link: null }) as const
  const events: readonly CliEvent[] = [
    { type: 'batch-started', total: 2 },
    finished(1, failed('b.jpg')),
    finished(0, done('a.jpg')),
    { type: 'batch-ended', records: [] },
  ]
  const { stdout, stderr } = asJson(events)
  const error = { code: 'source-missing', exit_code: 2, message: 'does not exist', hint: 'Look', http_status: null }
  expect(JSON.parse(stdout)).toEqual([
    { file: 'a.jpg', status: 'uploaded', upload: uploadObject, error: null },
    { file: 'b.jpg', status: 'failed', upload: null, error: expect.objectContaining(error) },
  ])
  expect(JSON.parse(stderr)).toMatchObject({ type: 'error', file: 'b.jpg', ...error })
  const lines = asJson(events, { lines: true, fields: ['file', 'url'] })
  expect(lines.stdout).toBe('{"file":"b.jpg","url":null}\n{"file":"a.jpg","url":"http://h/i/a1B2c3D4e5"}\n')
})

test('a list in a pipe has a line per upload: its slug, a tab and its address, or the chosen fields', () => {
  const second = { ...uploadObject, slug: 'x', size: 85_049, title: '\u001b[2J' }
  const events = [uploadObject, second].map((upload): CliEvent => ({ type: 'upload-listed', upload }))
  expect(asText(events).stdout).toBe('a1B2c3D4e5\thttp://h/i/a1B2c3D4e5\nx\thttp://h/i/a1B2c3D4e5\n')
  const { stdout } = asText(events, { fields: ['size', 'title', 'thumb_url'] })
  expect(stdout).toBe('123\t\t\n85049\t\\x1b[2J\t\n')
})

test('a failure says when to try again, and as JSON has the words of the service, the window and the wait', () => {
  const error = new RateLimitError('GET http://h/api/stats answered 429: Slow down.', {
    request: { method: 'GET', path: '/api/stats' },
    status: 429,
    serviceMessage: 'Slow down.',
    window: 'burst',
    retryAfterMs: 7_250,
  })
  const event = { type: 'failed', failure: describeFailure(error) } as const
  const { stdout, stderr } = asJson([event], { document: 'value' })
  const told = { message: 'Slow down.', window: 'burst', retry_after_ms: 7_250, exit_code: 5 }
  expect([stdout, JSON.parse(stderr)]).toMatchObject(['null\n', told])
  expect(asText([event]).stderr).toBe(
    'fh: GET http://h/api/stats answered 429: Slow down.\n  Try again in 7 s, or raise --max-wait\n',
  )
})

test('the error of a missing upload names its slug and how to find it by name; JSON has the words of the service', () => {
  const path = '/api/uploads/aB3dE6gH9j'
  const serviceMessage = 'No query results for model [App\\Models\\Upload].'
  const details = { request: { method: 'GET', path }, status: 404, serviceMessage }
  const error = new NotFoundError(`GET http://h${path} answered 404`, details)
  const told = "no upload has the slug aB3dE6gH9j\n  By name: fh list --name 'aB3dE6gH9j*'\n"
  expect(asText([{ type: 'failed', failure: describeFailure(error) }]).stderr).toBe(`fh: ${told}`)
  const ended = (slug: string): readonly CliEvent[] => [
    { type: 'batch-started', total: 1 },
    { type: 'item-finished', index: 0, record: failedRecord({ slug }, error), link: null },
  ]
  expect(asText(ended('aB3dE6gH9j')).stderr).toBe(`fh: ${told}`)
  expect(asText(ended('https://h/i/aB3dE6gH9j')).stderr).toBe(`fh: https://h/i/aB3dE6gH9j: ${told}`)
  const json = asJson([{ type: 'failed', failure: describeFailure(error) }])
  expect(JSON.parse(json.stderr).message).toBe(serviceMessage)
})

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
  const [{ printed, output }, clock] = [recorder(), createVirtualClock()]
  const reporter = new JsonPrinter({
    output,
    clock,
    verbosity: calm,
    fields: undefined,
    isTerminal: false,
    lines: true,
    document: 'list',
  })
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
  const quiet: CliEvent = {
    type: 'wire',
    event: { type: 'wait', request, window: 'hour', source: 'ledger', delayMs: 5_000 },
  }
  expect(asJson([quiet], { verbosity: { ...calm, quiet: true } }).stderr).toBe('')
})

test.each([
  ['ledger', ''],
  ['retry-after', ''],
  ['guess', 'about '],
] as const)('a line about a wait says whether its length is estimated: %s', (source, about) => {
  const wait: ClientEvent = { type: 'wait', request, window: 'burst', source, delayMs: 5_250 }
  const told = asText([{ type: 'wire', event: wait }])
  expect(told.stderr).toBe(`Waiting ${about}5 s for the burst quota, until 12:00:05\n`)
  expect(traceLines(wait)).toEqual([`! Waiting ${about}5 s for the burst quota`])
})

test.each([
  [12_000, 'Try again in 12 s, or raise --max-wait'],
  [0, 'Try again later, or raise --max-wait'],
])('the hint about a request that was not sent, whose quota is free in %d ms, names --max-wait', (ms, hint) => {
  const error = new RateLimitError('not sent', { window: 'burst', retryAfterMs: ms, hint: 'or allow a longer wait' })
  expect(describeFailure(error).hint).toBe(hint)
})
