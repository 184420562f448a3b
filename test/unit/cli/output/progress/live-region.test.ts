import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { createLiveRegion } from '../../../../../src/cli/output/progress/live-region.ts'

test('the first frame below a new line counts what the line tells, and a last line is not lost', async () => {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80, rows: 24 })
  let printed = ''
  stream.on('data', (text) => {
    printed += text
  })
  let files = 0
  const region = createLiveRegion(stream as never, { width: () => 80, pushesCursor: false }, () => [`${files} files`])
  region.resume()
  region.above(() => stream.write('a link\n'))
  files = 1
  await vi.waitFor(() => expect(/a link.*?(\d files)/s.exec(printed)?.[1]).toBe('1 files'))
  region.above(() => stream.write('the last link\n'))
  region.pause()
  expect(printed).toContain('the last link')
})
