import { expect, test } from 'vitest'
import type { ItemRecord } from '../../../../src/cli/output/events.ts'
import { Transfers } from '../../../../src/cli/output/progress/transfers.ts'
import { failedRecord } from '../../../../src/cli/output/records.ts'
import type { TextOptions } from '../../../../src/cli/output/text.ts'
import { systemClock } from '../../../../src/clock.ts'
import { uploadObject } from '../../../helpers/media.ts'
import { calm, done, failed, textPrinter } from './text-printer.ts'

const bars: TextOptions['bars'] & object = {
  view: { start() {}, above: (write) => write(), end() {} },
  byDefault: true,
}
const started = (total: number) =>
  ({
    type: 'batch-started',
    transfers: new Transfers(systemClock).begin(Array<undefined>(total).fill(undefined)),
    progress: 'auto',
  }) as const
const known = { name: 'cat.jpg', at: Date.parse('2025-11-02T10:00:00Z') }
const skipped = (file: string): ItemRecord => ({ ...done(file), status: 'skipped', known })
const alreadyThere = `already there as ${uploadObject.slug} (cat.jpg, uploaded 2025-11-02 10:00)`

function linesOf(records: readonly ItemRecord[], options: Partial<TextOptions> = {}) {
  const { printer, printed } = textPrinter(options)
  printer.report(started(records.length))
  for (const [index, record] of records.entries()) printer.report({ type: 'item-finished', index, record, link: null })
  printer.close()
  return printed.stderr.split('\n').slice(0, -1)
}

test('fh tells of each file when it has ended, with the advice once, and how all ended; with --quiet of failures only', () => {
  const interrupted = failedRecord({ file: 'e.jpg' }, new DOMException('', 'AbortError'))
  const mixed = [done('a\u001b[31m.jpg'), skipped('b.jpg'), failed('c.jpg'), failed('d.jpg'), interrupted]
  expect(linesOf(mixed)).toEqual([
    'uploaded a\\x1b[31m.jpg (123 B)',
    `skipped b.jpg: ${alreadyThere}`,
    'failed c.jpg: does not exist',
    '  Look',
    'failed d.jpg: does not exist',
    'interrupted e.jpg',
    '1 uploaded, 1 skipped, 1 interrupted, 2 failed',
  ])
  expect(linesOf([skipped('a.jpg')])).toEqual([`skipped a.jpg: ${alreadyThere}`])
  const quiet = linesOf(mixed.slice(0, 3), { verbosity: { ...calm, quiet: true } })
  expect(quiet).toEqual(['fh: c.jpg: does not exist', '  Look'])
})

test('above bars, which show what a file waits for, stands what a question before the files waits for', () => {
  const told = (method: string, path: string) => {
    const { printer, printed } = textPrinter({ bars })
    printer.report(started(2))
    const wait = { type: 'wait', window: 'minute', source: 'retry-after', delayMs: 42_000 } as const
    printer.report({ type: 'wire', event: { ...wait, request: { method, path } } })
    return printed.stderr
  }
  expect(told('GET', '/api/uploads/a1B2c3D4e5')).toBe('Waiting 42 s for the minute quota, until 12:00:42\n')
  expect(told('POST', '/api/upload')).toBe('')
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
  const { printer } = textPrinter({ bars, output, isOneTerminal: true })
  printer.report(started(total))
  printer.report({ type: 'item-finished', index: 0, record, link })
  expect(printed.join('')).toBe(`${line}\n`)
})
