import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PhpArray } from '../../../../../emulator/http/request/php-variables.ts'
import { readUploadForm } from '../../../../../emulator/http/request/upload-form.ts'
import type { Uploads } from '../../../../../emulator/service/uploads.ts'
import { jpegBytes } from '../../../../helpers/media.ts'
import { fileForm, type MultipartForm, multipartForm } from '../../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../../emulated.ts'

const required = ['The file field is required.']
const wrongType = ['The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.']
const notAFile = ['The file field must be a file.', ...wrongType]
const tooLong = [...notAFile, 'The file field must not be greater than 8 characters.']
const failed = ['The file failed to upload.']
const tooLarge = ['The file field must not be greater than 8 kilobytes.']

const maxFileSizeBytes = 8_192
const jpeg = jpegBytes(100)
const file = (content: string | Uint8Array, fileName = 'photo.jpg', type?: string) =>
  multipartForm({ name: 'file', fileName, content, ...(type === undefined ? {} : { type }) })
const body = (type: string, text: string) => ({ headers: { 'Content-Type': type }, body: Buffer.from(text) })
const cut = ({ headers, body: whole }: MultipartForm, bytes: number) => ({ headers, body: whole.subarray(0, -bytes) })

type Submission = Omit<MultipartForm, 'headers'> & { readonly headers: Readonly<Record<string, string>> }

test.each<readonly [string, Submission, readonly string[]]>([
  ['no body', { headers: {}, body: Buffer.alloc(0) }, required],
  ['a form without the field', multipartForm({ name: 'photo', fileName: 'photo.jpg', content: jpeg }), required],
  ['an empty text', multipartForm({ name: 'file', content: '' }), required],
  ['a blank text', multipartForm({ name: 'file', content: ' \t ' }), required],
  ['a file input left empty', file('', ''), required],
  ['a file without a name', file(jpeg, ''), required],
  ['multipart without a boundary', body('multipart/form-data', 'file'), required],
  ['a multipart body without a part', body('multipart/form-data; boundary=x', 'nothing of the kind'), required],
  ['a form that ends before its first part', cut(file(jpeg), 220), required],
  ['an empty list of JSON', body('application/json', '{"file":[]}'), required],
  ['an empty object of JSON', body('application/json', '{"file":{}}'), required],
  ['null', body('application/json', '{"file":null}'), required],
  ['JSON without the field', body('application/json', '{"photo":"x"}'), required],
  ['JSON that is null', body('application/json', 'null'), required],
  ['invalid JSON', body('application/json', '{"file":'), required],
  ['a blank text of JSON', body('application/json', '{"file":" "}'), required],
  ['a blank urlencoded text', body('application/x-www-form-urlencoded', 'file=+'), required],
  ['an urlencoded form without the field', body('application/x-www-form-urlencoded', 'photo=x'), required],
  ['raw bytes', { headers: { 'Content-Type': 'image/jpeg' }, body: jpeg }, required],
  ['a text', multipartForm({ name: 'file', content: 'a photo' }), notAFile],
  [
    'a text of binary type',
    multipartForm({ name: 'file', type: 'application/octet-stream', content: '12345678' }),
    notAFile,
  ],
  [
    'a text of more characters than a file may have kilobytes',
    multipartForm({ name: 'file', content: 'ăîșțâ ăîș' }),
    tooLong,
  ],
  ['an urlencoded text of too many characters', body('application/x-www-form-urlencoded', 'file=photo.jpg'), tooLong],
  ['a JSON list of too many values', body('application/json', '{"file":[1,2,3,4,5,6,7,8,9]}'), tooLong],
  ['a list of files', multipartForm({ name: 'file[]', fileName: 'photo.jpg', content: jpeg }), notAFile],
  ['a list of texts', multipartForm({ name: 'file[]', content: 'photo.jpg' }), notAFile],
  ['an urlencoded text', body('application/x-www-form-urlencoded', 'file=a+photo'), notAFile],
  ['an urlencoded list', body('application/x-www-form-urlencoded', 'file=&file[]='), notAFile],
  ['a text of JSON', body('application/json; charset=utf-8', '{"file":"a photo"}'), notAFile],
  ['a number', body('application/vnd.api+json', '{"file":7}'), notAFile],
  ['false', body('application/json', '{"file":false}'), notAFile],
  ['a list of JSON', body('application/json', '{"file":["a"]}'), notAFile],
  ['an empty file', file(''), wrongType],
  ['a text file', file('hello', 'photo.jpg', 'image/jpeg'), wrongType],
  ['a vector image', file('<svg xmlns="http://www.w3.org/2000/svg"/>'), wrongType],
  ['an image named like a program', file(jpeg, 'photo.php'), wrongType],
  ['a file a byte too large', file(jpegBytes(maxFileSizeBytes + 1)), tooLarge],
  ['a file that is wrong in both ways', file(Buffer.alloc(maxFileSizeBytes + 1, 'x')), [...wrongType, ...tooLarge]],
  ['a form that ends within the file', cut(file(jpeg), 40), failed],
  ['a form that ends within a large file', cut(file(jpegBytes(5_000)), 60), failed],
])('%s is answered 422', async (_, submission, messages) => {
  const emulator = await emulated({ maxFileSizeBytes })
  const response = await send(emulator, 'POST', '/api/upload', submission)
  const more = ['', ' (and 1 more error)', ' (and 2 more errors)'][messages.length - 1]
  expect(response.status).toBe(422)
  expect(await response.text()).toBe(
    JSON.stringify({ message: `${messages[0]}${more}`, errors: { file: messages } }).replaceAll('/', '\\/'),
  )
  expect((await json(send(emulator, 'GET', '/api/stats'))).uploads).toBe(0)
})

test('a text in the query replaces a field missing from the form', async () => {
  const emulator = await emulated()
  const asked = async (form: object) => (await json(send(emulator, 'POST', '/api/upload?file=x', form))).message
  expect(await asked({})).toBe(`${notAFile[0]} (and 1 more error)`)
  expect(await asked(multipartForm({ name: 'file', content: '' }))).toBe(required[0])
  expect((await send(emulator, 'POST', '/api/upload?file=x', fileForm(jpeg))).status).toBe(201)
})

test.each([
  ['PUT', 405, 'The PUT method is not supported for route api/upload. Supported methods: POST.'],
  ['b d', 400, 'Bad request.'],
])(
  'an upload whose form says _method=%s is not stored, not charged and has no quota headers',
  async (method, status, message) => {
    const emulator = await emulated({ quotas: { minute: 60 } })
    const form = multipartForm({ name: 'file', fileName: 'a.jpg', content: jpeg }, { name: '_method', content: method })
    const response = await send(emulator, 'POST', '/api/upload', form)
    expect([response.status, (await json(response)).message]).toEqual([status, message])
    expect(response.headers.has('X-RateLimit-Cost')).toBe(false)
    expect(emulator.control.requests.list().requests).toMatchObject([{ status, cost: 0, account_id: null }])
    expect(emulator.control.accounts.quota(1).minute.used).toBe(0)
    expect((await emulator.control.health()).bytes_stored).toBe(0)
  },
)

test.each<readonly [string, MultipartForm, number]>([
  ['exactly the largest size', file(jpegBytes(maxFileSizeBytes)), maxFileSizeBytes],
  ['the declared type wrong', file(jpeg, 'photo.txt', 'text/plain'), 100],
  ['a path for a name', file(jpeg, '../../etc/photo.jpg'), 100],
  ['a name beyond ASCII', file(jpeg, 'фото « 🦝.jpg'), 100],
  [
    'two files, the last counting',
    multipartForm(
      { name: 'file', fileName: 'a.jpg', content: jpegBytes(50) },
      { name: 'file', fileName: 'b.jpg', content: jpegBytes(60) },
    ),
    60,
  ],
  [
    'an additional text',
    multipartForm({ name: 'file', fileName: 'a.jpg', content: jpeg }, { name: 'file', content: 'text' }),
    100,
  ],
  [
    'other fields around it',
    multipartForm(
      { name: 'title', content: 'Raccoon' },
      { name: 'cover', fileName: 'c.txt', content: 'no image' },
      { name: 'file', fileName: 'a.jpg', content: jpeg },
      { name: 'file2', fileName: 'd.jpg', content: jpegBytes(7) },
    ),
    100,
  ],
])('an upload with %s is stored', async (_, form, size) => {
  const emulator = await emulated({ maxFileSizeBytes })
  const response = await send(emulator, 'POST', '/api/upload', form)
  expect([response.status, (await json(response)).upload.size]).toEqual([201, size])
  expect((await json(send(emulator, 'GET', '/api/stats'))).uploads).toBe(1)
})

test('a form of thousands of parts is read to its end, and parts beyond the limit are ignored', async () => {
  const emulator = await emulated()
  const parts = Array.from({ length: 1_500 }, () => ({ name: 'x', fileName: 'x', content: 'x' }))
  const form = multipartForm(...parts, { name: 'file', fileName: 'a.jpg', content: jpeg })
  expect((await send(emulator, 'POST', '/api/upload', form)).status).toBe(422)
})

/** The form in small pieces, as a slow network delivers it. */
function inPieces(bytes: Uint8Array, pieceBytes: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + pieceBytes))
      at += pieceBytes
    },
  })
}

test('a truncated second file is never stored, however its bytes are split into chunks', async () => {
  const [first, second] = ['a.jpg', 'b.jpg'].map((fileName) => ({ name: 'file', fileName, content: jpeg }))
  if (first === undefined || second === undefined) throw new Error('Two parts are needed')
  for (const missing of [6, 10, 37]) {
    const { headers, body: broken } = cut(multipartForm(first, second), missing)
    for (const at of [broken.length, 160, 1]) {
      const emulator = await emulated({ maxFileSizeBytes })
      const chunks = [broken.subarray(0, at), broken.subarray(at)]
      const stream = ReadableStream.from(chunks)
      const response = await send(emulator, 'POST', '/api/upload', { headers, body: stream })
      expect([missing, at, response.status]).toEqual([missing, at, 422])
    }
  }
})

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
      expect(response.status).toBe(complete ? 201 : 422)
      expect(upload?.size).toBe(complete ? 6_000 : undefined)
      expect([...required, ...failed, undefined]).toContain(message)
    }),
    { numRuns: 150 },
  )
})

test('a form with twenty files keeps at most one: each is discarded when the next begins', async () => {
  let held = 0
  let most = 0
  const uploads = {
    receive(name: string) {
      let sizeBytes = 0
      return {
        async write(chunk: Uint8Array) {
          sizeBytes += chunk.length
          held += chunk.length
          most = Math.max(most, held)
        },
        finish: async () => ({ kind: 'file', name, sizeBytes }),
        discard: async () => {},
      }
    },
    async discard(file: { readonly kind: string; readonly sizeBytes?: number }) {
      held -= file.sizeBytes ?? 0
    },
  } as unknown as Uploads
  const parts = Array.from({ length: 20 }, (_, at) => ({ name: 'file', fileName: `${at}.jpg`, content: jpeg }))
  const { headers, body: bytes } = multipartForm(...parts)
  const form = await readUploadForm(
    headers['Content-Type'],
    { body: inPieces(bytes, 100), query: new PhpArray() },
    uploads,
  )
  expect(form.file).toMatchObject({ name: '19.jpg' })
  expect([held, most]).toEqual([jpeg.length, jpeg.length])
})
