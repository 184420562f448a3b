import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/clock.ts'
import type { BatchStarted, CliEvent, ItemRecord, ProgressChoice } from '../../../../src/cli/output/events.ts'
import { failedRecord } from '../../../../src/cli/output/records.ts'
import type { TextOptions } from '../../../../src/cli/output/text-streams.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { calm, done, failed, textPrinter } from './text-printer.ts'

const bars: TextOptions['bars'] & object = {
  view: { start() {}, above: (write) => write(), end() {} },
  byDefault: true,
}
const known = { name: 'cat.jpg', at: Date.parse('2025-11-02T10:00:00Z') }
const skipped = (file: string): ItemRecord => ({ ...done(file), status: 'skipped', known })
const alreadyThere = `already there as ${uploadObject.slug} (cat.jpg, uploaded 2025-11-02 10:00)`

/** A batch whose records finish one after the other; `lines()` are those on stderr so far. */
function batchOf(total: number, progress: ProgressChoice = 'auto', options: Partial<TextOptions> = {}) {
  const clock = createVirtualClock()
  const { printer, printed } = textPrinter({ clock, ...options })
  const records: ItemRecord[] = []
  const transfer: BatchStarted['transfer'] = { verb: 'uploaded', sizes: [], progress }
  const report = (event: CliEvent) => printer.report(event)
  report({ type: 'batch-started', total, transfer })
  return {
    clock,
    report,
    lines: () => printed.stderr.split('\n').slice(0, -1),
    finish(...finished: readonly ItemRecord[]) {
      for (const record of finished) {
        report({ type: 'item-finished', index: records.length, record, link: null })
        records.push(record)
      }
    },
    end() {
      report({ type: 'batch-ended', records })
      printer.close()
      return printed.stderr.split('\n').slice(0, -1)
    },
  }
}

test('fh tells of each file when it has ended, and how all ended', () => {
  const mixed = batchOf(3)
  mixed.finish(done('a.jpg'), skipped('b.jpg'), failed('c.jpg'))
  expect(mixed.end()).toEqual([
    'uploaded a.jpg (123 B)',
    `skipped b.jpg: ${alreadyThere}`,
    'failed c.jpg: does not exist',
    '  Look',
    '1 uploaded, 1 skipped, 1 failed',
  ])
})

test('what Ctrl-C ended was interrupted, and did not fail', () => {
  const run = batchOf(2)
  run.finish(done('a.jpg'), failedRecord({ file: 'b.jpg' }, new DOMException('', 'AbortError')))
  expect(run.end()).toEqual(['uploaded a.jpg (123 B)', 'interrupted b.jpg', '1 uploaded, 1 interrupted'])
})

test('--progress plain tells of each file at once, and a single file gets one line', () => {
  const run = batchOf(1, 'plain')
  run.finish(done('a\u001b[31m.jpg'))
  expect(run.lines()).toEqual(['uploaded a\\x1b[31m.jpg (123 B)'])
  const single = batchOf(1)
  single.finish(skipped('a.jpg'))
  expect(single.end()).toEqual([`skipped a.jpg: ${alreadyThere}`])
})

test('fh prints a failure when it happens, and not again at the end', () => {
  const run = batchOf(3, 'plain')
  run.finish(failed('b.jpg'), done('a.jpg'), failed('c.jpg'))
  expect(run.end()).toEqual([
    'failed b.jpg: does not exist',
    '  Look',
    'uploaded a.jpg (123 B)',
    'failed c.jpg: does not exist',
    '1 uploaded, 2 failed',
  ])
})

test('with --quiet only failures are told', () => {
  const run = batchOf(2, 'auto', { verbosity: { ...calm, quiet: true } })
  run.finish(done('a.jpg'), failed('b.jpg'))
  expect(run.end()).toEqual(['fh: b.jpg: does not exist', '  Look'])
})

const address = 'https://files.example/i/a1B2c3D4e5'

test.each([
  [2, done('a.jpg'), address, `uploaded a.jpg (123 B): ${address}`],
  [1, done('a.jpg'), address, address],
  [1, skipped('a.jpg'), address, `skipped a.jpg (cat.jpg, uploaded 2025-11-02 10:00): ${address}`],
  [1, skipped('cat.jpg'), address, `skipped cat.jpg (uploaded 2025-11-02 10:00): ${address}`],
  [2, done('a.jpg'), '![a.jpg](https://h/i/a)', '![a.jpg](https://h/i/a)\nuploaded a.jpg (123 B)'],
])('where links are on the terminal, one of %d files has one line: %o', (total, record, link, line) => {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const output = { stdout: print, stderr: print }
  const batch = batchOf(total, 'auto', { bars, output, isOneTerminal: true })
  batch.report({ type: 'item-finished', index: 0, record, link })
  expect(printed.join('')).toBe(`${line}\n`)
})
