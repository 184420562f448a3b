import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { multipartForm } from '../helpers/multipart-form.ts'
import { call, media, picture, postForm, uploaded, uploadFile } from './media.ts'
import { type ContractTarget, keyOf } from './targets.ts'

/** A slug nobody has. */
const unknown = 'noSuchSlug0'

/** Spec 4: the five calls. */
export function endpointClauses(target: ContractTarget): void {
  test('spec 4.1: an upload answers 201 with the upload object', async () => {
    const answer = await uploadFile(target)
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.json)).toEqual(['upload'])
  })

  test.each(media)('spec 4.1: %s is accepted as %s', async (name, mimeType, extension) => {
    const bytes = readFileSync(mediaPath(name))
    const upload = await uploaded(target, bytes)
    expect(upload).toMatchObject({ mime_type: mimeType, size: bytes.length })
    expect(upload.direct_url).toBe(`${upload.url}.${extension}`)
  })

  test('spec 4.1: without a file the answer is 422 and says that the file is required', async () => {
    const answer = await postForm(target, multipartForm({ name: 'other', content: 'text' }))
    expect(answer.status).toBe(422)
    expect(answer.json).toEqual({
      message: 'The file field is required.',
      errors: { file: ['The file field is required.'] },
    })
  })

  test('spec 4.1: a file of another type is refused and not stored', async () => {
    const before = (await call(target, 'GET', '/api/stats')).json.uploads
    const answer = await postForm(target, multipartForm({ name: 'file', fileName: 'a.png', content: '%PDF-1.7' }))
    expect(answer.status).toBe(422)
    expect(answer.json.errors['file']).toHaveLength(1)
    expect((await call(target, 'GET', '/api/stats')).json.uploads).toBe(before)
  })

  test('spec 4.2: the list has the newest upload first', async () => {
    const older = await uploaded(target)
    await target.emulator?.control.clock.advance('10s')
    const newer = await uploaded(target)
    const answer = await call(target, 'GET', '/api/uploads')
    expect(answer.status).toBe(200)
    expect(answer.json.data.slice(0, 2)).toEqual([newer, older])
  })

  test('spec 4.2: page 1 is what is listed where no page is named', async () => {
    await uploaded(target)
    const unnamed = await call(target, 'GET', '/api/uploads')
    expect((await call(target, 'GET', '/api/uploads?page=1')).json).toEqual(unnamed.json)
  })

  test('spec 4.3: an upload is shown as it was answered when it was made', async () => {
    const upload = await uploaded(target)
    const answer = await call(target, 'GET', `/api/uploads/${upload.slug}`)
    expect([answer.status, answer.json]).toEqual([200, { upload }])
  })

  test.each(['GET', 'DELETE'])('spec 4.3, 4.4: %s of a slug that does not exist answers 404', async (method) => {
    const answer = await call(target, method, `/api/uploads/${unknown}`)
    expect(answer.status).toBe(404)
    expect(Object.keys(answer.json)).toEqual(['message'])
  })

  test('spec 4.4: a deletion answers 200 and that it is done, and the upload is gone for good', async () => {
    const { slug } = await uploaded(target)
    const before = (await call(target, 'GET', '/api/stats')).json.uploads
    const answer = await call(target, 'DELETE', `/api/uploads/${slug}`)
    expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
    expect((await call(target, 'GET', `/api/uploads/${slug}`)).status).toBe(404)
    const { data } = (await call(target, 'GET', '/api/uploads')).json
    expect(data.map((upload) => upload.slug)).not.toContain(slug)
    expect((await call(target, 'GET', '/api/stats')).json.uploads).toBe(before - 1)
  })

  test('spec 4.5: the statistics answer 200', async () => {
    expect((await call(target, 'GET', '/api/stats')).status).toBe(200)
  })

  if (target.emulator !== undefined) ownEndpointClauses(target, target.emulator)
}

type Emulator = NonNullable<ContractTarget['emulator']>

function ownEndpointClauses(target: ContractTarget, { control }: Emulator): void {
  test('spec 4: what belongs to another account does not exist', async () => {
    const { slug } = await uploaded(target)
    const other = { ...target, apiKey: control.accounts.create().api_key }
    expect((await call(other, 'GET', `/api/uploads/${slug}`)).status).toBe(404)
    expect((await call(other, 'DELETE', `/api/uploads/${slug}`)).status).toBe(404)
    expect((await call(other, 'GET', '/api/uploads')).json.total).toBe(0)
    expect((await call(other, 'GET', '/api/stats')).json.uploads).toBe(0)
    expect((await call(target, 'GET', `/api/uploads/${slug}`)).status).toBe(200)
  })

  test('spec 4.2: 51 uploads are two pages, of which the second has the oldest', async () => {
    const { id, api_key } = control.accounts.create()
    const account = { ...target, apiKey: api_key }
    control.accounts.update(id, { quotas: { burst: null, minute: null, hour: null, day: null } })
    const oldest = (await uploadFile(account)).json.upload
    for (let count = 2; count <= 51; count += 1) await uploadFile(account)
    const first = (await call(account, 'GET', '/api/uploads')).json
    const second = (await call(account, 'GET', '/api/uploads?page=2')).json
    expect(first).toMatchObject({ from: 1, to: 50, total: 51, last_page: 2, next_page_url: `${first.path}?page=2` })
    expect(first.data).toHaveLength(50)
    expect(second).toMatchObject({
      current_page: 2,
      data: [oldest],
      from: 51,
      to: 51,
      next_page_url: null,
      prev_page_url: `${first.path}?page=1`,
    })
  })

  test('spec 4.1, 8.7: 209,715,201 bytes are too many', async () => {
    const form = multipartForm({ name: 'file', fileName: 'a.png', content: picture.subarray(0, 0) })
    const cut = form.body.indexOf('\r\n\r\n') + 4
    const parts = { head: form.body.subarray(0, cut), tail: form.body.subarray(cut) }
    const headers = { ...keyOf(target), ...form.headers }
    const answer = await target.send('POST', '/api/upload', { headers, body: blankFile(parts, 209_715_201) })
    expect(answer.status).toBe(422)
    // Of a type that is not stored, so that only the counting is done.
    expect(answer.json.errors['file']).toEqual([
      'The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.',
      'The file field must not be greater than 204800 kilobytes.',
    ])
  })
}

interface FormAroundFile {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** A form with a file of blanks that is never in memory as a whole. */
function blankFile({ head, tail }: FormAroundFile, sizeBytes: number): ReadableStream<Uint8Array> {
  const piece = Buffer.alloc(262_144, ' ')
  let left = sizeBytes
  return new ReadableStream({
    start: (stream) => stream.enqueue(head),
    pull(stream) {
      stream.enqueue(piece.subarray(0, Math.min(left, piece.length)))
      left -= Math.min(left, piece.length)
      if (left > 0) return
      stream.enqueue(tail)
      stream.close()
    },
  })
}
