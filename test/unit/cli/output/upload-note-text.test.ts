import { expect, test } from 'vitest'
import { uploadNoteText } from '../../../../src/cli/output/upload-note-text.ts'

test('a file that waits for another of its run names that file, and a runner where the file is not known', () => {
  const waits = { type: 'waits-for-other', path: 'copy.png' } as const
  expect(uploadNoteText({ ...waits, other: 'shot.png' })).toBe(
    'copy.png: waiting for the link of shot.png, which has the same content',
  )
  expect(uploadNoteText({ ...waits, other: undefined })).toBe(
    'copy.png: waiting for another runner, which sends the same content',
  )
})
