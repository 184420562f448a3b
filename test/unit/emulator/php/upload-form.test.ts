import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { multipartForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

const required = ['The file field is required.']
const wrongType = ['The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.']
const notAFile = ['The file field must be a file.', ...wrongType]
const tooLong = [...notAFile, 'The file field must not be greater than 8 characters.']
const failed = ['The file failed to upload.']

const maxFileSizeBytes = 8_192
const jpeg = jpegBytes(100)
const file = (content: string | Uint8Array, fileName = 'photo.jpg') =>
  multipartForm({ name: 'file', fileName, content })
const text = (content: string, name = 'file') => multipartForm({ name, content })
const body = (type: string, content: string) => ({ headers: { 'Content-Type': type }, body: Buffer.from(content) })
const asJson = (content: string) => body('application/json', content)

test.each<readonly [string, Parameters<typeof send>[3], readonly string[]]>([
  ['a file input left empty', file('', ''), required],
  ['invalid JSON', asJson('{"file":'), required],
  ['JSON that is null', asJson('null'), required],
  ['raw bytes', { headers: { 'Content-Type': 'image/jpeg' }, body: jpeg }, required],
  ['a text of as many characters as a file may have kilobytes', text('ăîșțâ ăî'), notAFile],
  ['a text of more characters than a file may have kilobytes', text('ăîșțâ ăîș'), tooLong],
  ['a JSON list of too many values', asJson('{"file":[1,2,3,4,5,6,7,8,9]}'), tooLong],
  ['a text of JSON', body('application/vnd.api+json; charset=utf-8', '{"file":"a photo"}'), notAFile],
])('silence 41: %s is answered 422', async (_, submission, messages) => {
  const emulator = await emulated({ maxFileSizeBytes })
  const response = await send(emulator, 'POST', '/api/upload', submission)
  const more = ['', ' (and 1 more error)', ' (and 2 more errors)'][messages.length - 1]
  expect([response.status, await response.json()]).toEqual([
    422,
    { message: `${messages[0]}${more}`, errors: { file: messages } },
  ])
  expect(emulator.control.health().uploads).toBe(0)
})

test('a form of thousands of parts is read to its end, and parts beyond the limit are ignored', async () => {
  const parts = Array.from({ length: 1_500 }, () => ({ name: 'x', fileName: 'x', content: 'x' }))
  const form = multipartForm(...parts, { name: 'file', fileName: 'a.jpg', content: jpeg })
  expect((await send(await emulated(), 'POST', '/api/upload', form)).status).toBe(422)
})

/** The form in small pieces, as a slow network delivers it. */
const inPieces = (bytes: Uint8Array, pieceBytes: number) =>
  ReadableStream.from(
    Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
      bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
    ),
  )

test('a form is answered however it is truncated and split, and only a complete one becomes an upload', async () => {
  const emulator = await emulated()
  const whole = multipartForm(
    { name: 'title', content: 'Raccoon' },
    { name: 'file', fileName: 'a.jpg', content: jpegBytes(6_000) },
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.body.length), fc.integer({ min: 1, max: 3_000 }), async (length, pieceBytes) => {
      const pieces = inPieces(whole.body.subarray(0, length), Math.max(pieceBytes, Math.ceil(length / 200)))
      const response = await send(emulator, 'POST', '/api/upload', { headers: whole.headers, body: pieces })
      const { upload, message } = await json(response)
      // The file is complete before the boundary's last two hyphens and line break.
      const complete = length >= whole.body.length - 4
      expect([response.status, upload?.size]).toEqual(complete ? [201, 6_000] : [422, undefined])
      expect([...required, ...failed, undefined]).toContain(message)
    }),
    { numRuns: 150 },
  )
})
