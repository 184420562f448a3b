import { expect, test } from 'vitest'
import { urlItem } from '../../../../../src/cli/commands/upload/upload-items.ts'
import { shownFile } from '../../../../../src/cli/format/format.ts'

test.each(['ftp://h/cat.jpg', 'https://', 'http://a b/cat.jpg'])('%s is refused before anything is sent', (text) => {
  const message = `${text} is no http or https address that fh can fetch`
  expect(urlItem(text).problem).toMatchObject({ code: 'source-unreadable', message })
})

test.each([
  ['https://me:secret@h/cat.jpg', 'https://***@h/cat.jpg'],
  ['https://secret@h/cat.jpg', 'https://***@h/cat.jpg'],
  ['https://me:secret@h h/cat.jpg', 'https://***@h h/cat.jpg'],
  ['https://me:p?secret@h/cat.jpg', 'https://***@h/cat.jpg'],
  ['https://me:p/secret@2@h/cat.jpg', 'https://***@h/cat.jpg'],
  ['https:////me:secret@h/cat.jpg', 'https://***@h/cat.jpg'],
  ['ftp://me:secret@h/cat.jpg', 'ftp://***@h/cat.jpg'],
  ['https://me:x@h/cat.jpg?sig=secret', 'https://***@h/cat.jpg'],
  ['http://[::bad/x.jpg?tok=secret', 'http://[::bad/x.jpg'],
  ['ftp://h/cat.jpg?sig=secret', 'ftp://h/cat.jpg'],
])('%s is refused as %s, and no output repeats a password or a query', (text, shown) => {
  const { file, url, problem } = urlItem(text)
  expect([url, shownFile(file)]).toEqual([undefined, shown])
  expect(`${shownFile(file)} ${problem?.message} ${problem?.hint}`).not.toMatch(/secret/)
})
