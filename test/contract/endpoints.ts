import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { multipartForm } from '../helpers/multipart-form.ts'
import type { Clauses } from './clauses.ts'
import { call, media, postForm, uploaded, uploadFile } from './media.ts'
import type { ContractTarget } from './targets.ts'

const unknown = '/api/uploads/noSuchSlug0'

/** Spec 3 and 4: the five endpoints. */
export function endpointClauses(target: ContractTarget, { clause, fact }: Clauses): void {
  clause('spec 1, 4.1: an upload answers 201 with the upload object', async () => {
    const answer = await uploadFile(target)
    expect(answer.status).toBe(201)
    expect(Object.keys(answer.json)).toEqual(['upload'])
  })

  for (const [name, mimeType, extension] of media) {
    clause(`spec 4.1: ${name} is accepted as ${mimeType}`, async () => {
      const upload = await uploaded(target, readFileSync(mediaPath(name)))
      expect(upload.mime_type).toBe(mimeType)
      expect(upload.direct_url).toBe(`${upload.url}.${extension}`)
    })
  }

  clause('spec 1, 4.1: an upload without a file is answered 422, saying that the file is required', async () => {
    const answer = await postForm(target, multipartForm({ name: 'other', content: 'text' }))
    expect(answer.status).toBe(422)
    expect(answer.json).toEqual({
      message: 'The file field is required.',
      errors: { file: ['The file field is required.'] },
    })
  })

  clause(
    'spec 4.1, 7.2: a file of another type is refused with a message and the errors of the field, and not stored',
    async () => {
      const before = (await call(target, 'GET', '/api/stats')).json.uploads
      const answer = await postForm(target, multipartForm({ name: 'file', fileName: 'a.png', content: '%PDF-1.7' }))
      expect(answer.status).toBe(422)
      expect(answer.json).toEqual({ message: expect.any(String), errors: { file: [answer.json.message] } })
      expect((await call(target, 'GET', '/api/stats')).json.uploads).toBe(before)
    },
  )

  clause('spec 1, 4.2: the list is sorted newest first', async () => {
    const older = await uploaded(target)
    await target.emulator?.control.clock.advance('10s')
    const newer = await uploaded(target)
    const answer = await call(target, 'GET', '/api/uploads')
    expect(answer.status).toBe(200)
    expect(answer.json.data.slice(0, 2).map(({ slug }) => slug)).toEqual([newer.slug, older.slug])
  })

  clause('spec 4.2: the list without a page parameter is page 1', async () => {
    await uploaded(target)
    const unnamed = await call(target, 'GET', '/api/uploads')
    expect((await call(target, 'GET', '/api/uploads?page=1')).json).toEqual(unnamed.json)
  })

  clause('spec 1, 4.3: an upload is shown as it was when it was created', async () => {
    const upload = await uploaded(target)
    const answer = await call(target, 'GET', `/api/uploads/${upload.slug}`)
    // The thumbnail may have been made meanwhile.
    const { thumb_url } = answer.json.upload
    expect([answer.status, answer.json]).toEqual([200, { upload: { ...upload, thumb_url } }])
  })

  clause('spec 3, 4.4, silence 29, 30, 52: a deletion is confirmed with 200, and the upload is gone', async () => {
    const { slug } = await uploaded(target)
    const before = (await call(target, 'GET', '/api/stats')).json.uploads
    const answer = await call(target, 'DELETE', `/api/uploads/${slug}`)
    expect([answer.status, answer.text]).toEqual([200, '{"deleted":true}'])
    expect((await call(target, 'GET', `/api/uploads/${slug}`)).status).toBe(404)
    const { data } = (await call(target, 'GET', '/api/uploads')).json
    expect(data.map((upload) => upload.slug)).not.toContain(slug)
    expect((await call(target, 'GET', '/api/stats')).json.uploads).toBe(before - 1)
  })

  fact('spec 4.4, 7.2, silence 50: deleting an unknown slug gets 404, as showing it', [404, true], async () => {
    const [deleted, shown] = [await call(target, 'DELETE', unknown), await call(target, 'GET', unknown)]
    return [deleted.status, deleted.text === shown.text]
  })

  const { emulator } = target
  if (emulator === undefined) return
  const { control } = emulator

  clause(
    'spec 4, silence 51: an account cannot see or delete the uploads of another, and is answered as for an unknown slug',
    async () => {
      const { slug } = await uploaded(target)
      const other = { ...target, apiKey: control.accounts.create().api_key }
      for (const method of ['GET', 'DELETE']) {
        const { status, text } = await call(other, method, `/api/uploads/${slug}`)
        const missing = await call(other, method, unknown)
        expect([status, text]).toEqual([missing.status, missing.text])
      }
      expect((await call(other, 'GET', `/api/uploads/${slug}`)).status).toBe(404)
      expect((await call(other, 'GET', '/api/uploads')).json.total).toBe(0)
      expect((await call(other, 'GET', '/api/stats')).json.uploads).toBe(0)
      expect((await call(target, 'GET', `/api/uploads/${slug}`)).status).toBe(200)
    },
  )

  clause('spec 4.2, 8.7: 51 uploads make two pages, the second with the oldest upload', async () => {
    const { id, api_key } = control.accounts.create()
    const account = { ...target, apiKey: api_key }
    const { slugs } = control.accounts.addUploads(id, { count: 51 })
    await control.clock.advance('10s')
    const first = (await call(account, 'GET', '/api/uploads')).json
    const second = (await call(account, 'GET', '/api/uploads?page=2')).json
    expect(first).toMatchObject({ from: 1, to: 50, total: 51, last_page: 2, next_page_url: `${first.path}?page=2` })
    expect(first.data).toHaveLength(50)
    expect(second).toMatchObject({
      current_page: 2,
      data: [{ slug: slugs[0] }],
      from: 51,
      to: 51,
      next_page_url: null,
      prev_page_url: `${first.path}?page=1`,
    })
  })
}
