import { expect, test } from 'vitest'
import { fileMessage } from '../../../../emulator/api/response.ts'
import { fileProblems, type ReceivedFile } from '../../../../emulator/service/uploads.ts'

const wrongType = 'The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.'
const good: ReceivedFile = {
  kind: 'file',
  name: 'photo.jpg',
  mimeType: 'image/jpeg',
  sizeBytes: 100,
  sha256: '',
  maxBytes: 1_024,
}
const settings = { wrong_type_message: 'mimes' } as const

function messagesFor(file: ReceivedFile): readonly string[] {
  return fileProblems(file, 1_024).map((problem) => fileMessage(problem, settings))
}

test.each([
  ['of exactly the largest size', { sizeBytes: 1_024 }, []],
  ['of a type that is known but refused', { mimeType: 'image/tiff' }, [wrongType]],
  [
    'wrong in both ways',
    { mimeType: undefined, sizeBytes: 1_025 },
    [wrongType, 'The file field must not be greater than 1 kilobytes.'],
  ],
  ['named like a program', { name: 'photo.PHP5' }, [wrongType]],
  ['named like an archive of programs', { name: 'photo.phar' }, [wrongType]],
  ['named like a program with blanks around the extension', { name: 'photo. \tphtml\n' }, [wrongType]],
])('a file %s gets these messages', (_, difference, faults) => {
  expect(messagesFor({ ...good, ...difference })).toEqual(faults)
})

test.each(['photo.php6', 'photo.phps', 'php', 'photo.php.jpg', ''])('the name %j is accepted', (name) => {
  expect(messagesFor({ ...good, name })).toEqual([])
})
