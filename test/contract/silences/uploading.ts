import { expect } from 'vitest'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import { jpegBytes } from '../../helpers/media.ts'
import { fileForm, type MultipartForm, multipartForm } from '../../helpers/multipart-form.ts'
import { createAccount, withSettings } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { postForm } from '../media.ts'
import { notAFile, required, wrongType } from '../messages.ts'
import { picture } from '../picture.ts'
import { keyOf, type OwnTarget } from '../targets.ts'

const tooLarge = 'The file field must not be greater than 8 kilobytes.'

type Submission = Pick<MultipartForm, 'body'> & { readonly headers: Readonly<Record<string, string>> }

const file = (content: string | Uint8Array, fileName = 'photo.png', type?: string) =>
  multipartForm({ name: 'file', fileName, content, ...(type === undefined ? {} : { type }) })

/** Choices on spec 4.1: which files are accepted, and the errors of the others. */
export function uploadSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control } = target.emulator

  const post = async (form: Submission) => {
    const { account } = createAccount(target, { quotas: unlimited })
    return target.send('POST', '/api/upload', { headers: { ...keyOf(account), ...form.headers }, body: form.body })
  }
  const refused = async (form: Submission) => {
    const { status, json } = await post(form)
    return [status, json.errors?.['file']]
  }

  fact('silence 37: an empty file is refused for its type', [422, [wrongType.mimes]], () => refused(file('')))

  fact('silence 38: a file of another type is answered with the accepted types', [422, [wrongType.mimes]], () =>
    refused(file('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  )

  fact('silence 39, 98: a file too large is answered with the limit in kilobytes', [422, [tooLarge]], async () => {
    withSettings(target, { max_file_size: 8_192 })
    expect((await post(fileForm(jpegBytes(8_192)))).status).toBe(201)
    return refused(fileForm(jpegBytes(8_193))).catch(() => 'a broken connection')
  })

  fact('silence 40: a body larger than any form is answered 413 before the key check', 413, async () => {
    withSettings(target, { max_file_size: 1_024 })
    const form = fileForm(jpegBytes(11 * 1_048_576))
    const headers = { ...form.headers, 'X-Api-Key': 'wrong' }
    return (await target.send('POST', '/api/upload', { headers, body: form.body })).status
  })

  const told = [[notAFile, wrongType.mimes], [required]]

  fact('silence 42: a field that is not a file is reported as such, and an empty one as missing', told, async () => {
    const text = await post(multipartForm({ name: 'file', content: 'photo.png' }))
    const nothing = await post({
      headers: { 'Content-Type': 'application/json' },
      body: Buffer.from('{"file":[]}'),
    })
    return [text.json.errors['file'], nothing.json.errors['file']]
  })

  clause('silence 43: of two files the last is stored, and other fields are ignored', async () => {
    const { account } = createAccount(target, { quotas: unlimited })
    const part = (bytes: number) => ({ name: 'file', fileName: 'a.jpg', content: jpegBytes(bytes) })
    const form = multipartForm({ name: 'title', content: 'Raccoon' }, part(5_000), part(100))
    const { status, json } = await postForm(account, form)
    expect([status, json.upload.size < 5_000, json.upload.title === 'Raccoon']).toEqual([201, true, false])
  })

  const namesTaken = [201, 201, 201, 422, 422]

  clause('silence 44: a file name may be a path or have any letters, but not be empty or a program’s', async () => {
    const statuses: number[] = []
    for (const name of ['../../a.png', 'фото 🦝.png', 'none', '', 'a.PHP']) {
      statuses.push((await post(file(picture, name))).status)
    }
    expect(statuses).toEqual(namesTaken)
  })

  clause('silence 11, 14, 45: the type comes from the content, not from the part’s type or name', async () => {
    const { status, json } = await post(file(picture, 'clip.mp4', 'video/mp4'))
    expect([status, json.upload.mime_type]).toEqual([201, 'image/png'])
    expect(json.upload.direct_url).toBe(`${json.upload.url}.png`)
    expect((await post(file('text', 'a.png', 'image/png'))).status).toBe(422)
  })

  clause('silence 46, 47: uploading the same file again creates another upload, which no header names', async () => {
    const { account } = createAccount(target, { quotas: unlimited })
    const answers = [await postForm(account, file(picture)), await postForm(account, file(picture))]
    expect(answers.map(({ status, headers }) => [status, headers.get('Location')])).toEqual(
      [201, 201].map((created) => [created, null]),
    )
    expect(new Set(answers.map(({ json }) => json.upload.slug)).size).toBe(2)
  })

  clause('silence 59, 60: an upload of no declared length that takes an hour is stored', async () => {
    const { headers, body: whole } = file(picture)
    const { account } = createAccount(target)
    const slowly = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(whole.subarray(0, 500)),
      async pull(stream) {
        await control.clock.advance('1h')
        stream.enqueue(whole.subarray(500))
        stream.close()
      },
    })
    const answer = await target.send('POST', '/api/upload', {
      headers: { ...keyOf(account), ...headers },
      body: slowly,
    })
    expect(answer.status).toBe(201)
  })
}
