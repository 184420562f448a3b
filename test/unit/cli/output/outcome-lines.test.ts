import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/clock.ts'
import type { BatchStarted, CliEvent, ItemRecord, ProgressChoice } from '../../../../src/cli/output/events.ts'
import { notStartedRecord } from '../../../../src/cli/output/records.ts'
import type { TextOptions } from '../../../../src/cli/output/text-streams.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { calm, done, failed, textPrinter } from './text-printer.ts'

const bars: TextOptions['bars'] & object = {
  view: { start() {}, above: (write) => write(), end() {} },
  byDefault: true,
}
const terminal = { width: () => 160, unicode: true, pushesCursor: false }
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

test('a run that ends within a second says nothing of what was uploaded, and still what was skipped or failed', () => {
  const quiet = batchOf(2)
  quiet.finish(done('a.jpg'), done('b.jpg'))
  expect(quiet.end()).toEqual([])
  const mixed = batchOf(3)
  mixed.finish(done('a.jpg'), skipped('b.jpg'), failed('c.jpg'))
  expect(mixed.end()).toEqual([
    `skipped b.jpg: ${alreadyThere}`,
    'failed c.jpg: does not exist',
    '  Look',
    '1 uploaded, 1 skipped, 1 failed',
  ])
})

test('a run that lasts a second tells of each file, also of those before', async () => {
  const run = batchOf(3)
  run.finish(done('a.jpg'))
  await run.clock.advance(999)
  expect(run.lines()).toEqual([])
  await run.clock.advance(1)
  run.finish(done('b.jpg'), done('c.jpg'))
  const told = ['a', 'b', 'c'].map((name) => `uploaded ${name}.jpg (123 B)`)
  expect(run.end()).toEqual([...told, '3 uploaded (369 B in 1 s)'])
})

test('fh says what it uploaded before a wait ahead of that wait', () => {
  const run = batchOf(2)
  run.finish(done('a.jpg'))
  const request = { method: 'POST', path: '/api/upload' }
  const event = { type: 'wait', request, window: 'burst', source: 'ledger', delayMs: 9_000 } as const
  run.report({ type: 'wire', event })
  expect(run.lines()).toEqual(['uploaded a.jpg (123 B)', expect.stringMatching(/^Waiting 9 s for the burst quota/)])
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

test('a failure that a long batch has pushed off the screen is told again at the end, with what to do', () => {
  const names = Array.from({ length: 50 }, (_, index) => `${index}.jpg`)
  const one = batchOf(22)
  one.finish(failed('b.jpg'), ...names.slice(1, 21).map(done), failed('c.jpg'))
  expect(one.end().slice(-3)).toEqual(['20 uploaded, 2 failed', 'fh: b.jpg: does not exist', '  Look'])
  const stopped = batchOf(32)
  stopped.finish(failed('b.jpg'), ...names.slice(0, 31).map((file) => notStartedRecord({ file })))
  expect(stopped.end()).toEqual(['failed b.jpg: does not exist', '  Look', '31 not started, 1 failed'])
  const all = batchOf(50)
  all.finish(...names.map(failed))
  const [last, ...others] = names.slice(10, 30).map((name) => `fh: ${name}: does not exist`)
  expect(all.end().slice(-22)).toEqual(['50 failed', last, '  Look', ...others])
})

test('with --quiet only failures are told', () => {
  const run = batchOf(2, 'auto', { verbosity: { ...calm, quiet: true } })
  run.finish(done('a.jpg'), failed('b.jpg'))
  expect(run.end()).toEqual(['fh: b.jpg: does not exist', '  Look'])
})

test('the summary says how many bytes were sent in what time', async () => {
  const run = batchOf(3, 'plain')
  await run.clock.advance(62_000)
  run.finish(done('a.jpg'), failed('b.jpg'), skipped('c.jpg'))
  expect(run.end().find((line) => line.includes('1 uploaded'))).toBe(
    '1 uploaded (123 B in 1 min 2 s), 1 skipped, 1 failed',
  )
})

test('where links are on the terminal, the link of a skipped file says why, and no line repeats it', () => {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const output = { stdout: print, stderr: print }
  const batch = batchOf(1, 'auto', { bars, output, terminals: { stdout: terminal, stderr: terminal } })
  batch.report({ type: 'item-finished', index: 0, record: skipped('a.jpg'), link: 'http://h/i/x' })
  expect(printed).toEqual(['http://h/i/x  a.jpg: already there (cat.jpg, uploaded 2025-11-02 10:00)\n'])
})

const address = 'https://files.example/i/a1B2c3D4e5'

test.each([
  [address, 80, 'photo.jpg', `${address}  photo.jpg`],
  [address, 52, 'a name that is far too long.jpg', `${address}  a name …ong.jpg`],
  [address, 40, 'a name that is far too long.jpg', address],
  [address, 20, 'a', address],
  ['![photo.jpg](https://h/i/a)', 80, 'photo.jpg', '![photo.jpg](https://h/i/a)'],
])('the link %s has in %d columns the name %s after it, as far as there is room: %s', (link, columns, name, line) => {
  const narrow = { ...terminal, width: () => columns }
  const printed: string[] = []
  const output = { stdout: (text: string) => void printed.push(text), stderr() {} }
  const batch = batchOf(2, 'auto', { bars, output, terminals: { stdout: narrow, stderr: narrow } })
  batch.report({ type: 'item-finished', index: 0, record: done(name), link })
  expect(printed).toEqual([`${line}\n`])
})
