import { expect, test } from 'vitest'
import { ParseError, parseStats, parseUploadEnvelope, parseUploadPage } from '../../../src/protocol/resources.ts'
import { uploadObject as upload } from '../../helpers/media.ts'

const page = {
  current_page: 1,
  data: [upload],
  first_page_url: 'http://h/api/uploads?page=1',
  from: 1,
  last_page: 1,
  last_page_url: 'http://h/api/uploads?page=1',
  links: [{ url: null, label: '« Previous', active: false }],
  next_page_url: null,
  path: 'http://h/api/uploads',
  per_page: 50,
  prev_page_url: null,
  to: 1,
  total: 1,
}

test('an upload is read unchanged', () => {
  expect(parseUploadEnvelope({ upload })).toEqual(upload)
})

test('fields that the spec does not name are kept', () => {
  expect(parseUploadEnvelope({ upload: { ...upload, id: 7, width: 800 } })).toMatchObject({ id: 7, width: 800 })
})

test('numeric strings are read as numbers', () => {
  expect(parseUploadEnvelope({ upload: { ...upload, size: '123', views: '4' } })).toMatchObject({ size: 123, views: 4 })
  expect(parseStats({ uploads: '3', albums: 0, total_views: '1234', api_requests: 9 })).toMatchObject({
    uploads: 3,
    total_views: 1234,
  })
})

test('counters that are null are read as 0', () => {
  expect(parseUploadEnvelope({ upload: { ...upload, views: null, likes: null } })).toMatchObject({ views: 0, likes: 0 })
  expect(parseStats({ uploads: 0, albums: null, total_views: null, api_requests: 0 })).toMatchObject({ total_views: 0 })
})

test('a missing title and thumbnail are read as null', () => {
  const { title: _, thumb_url: __, ...rest } = upload
  expect(parseUploadEnvelope({ upload: rest })).toMatchObject({ title: null, thumb_url: null })
})

test('a page is read unchanged, an empty one too', () => {
  expect(parseUploadPage(page)).toEqual(page)
  expect(parseUploadPage({ ...page, data: [], from: null, to: null, total: 0 })).toMatchObject({ from: null, data: [] })
})

test.each([
  [() => parseUploadEnvelope({}), 'upload', 'upload should be an object, but is missing'],
  [
    () => parseUploadEnvelope({ upload: { ...upload, size: 'big' } }),
    'upload.size',
    'upload.size should be a number, but is the string "big"',
  ],
  [
    () => parseUploadEnvelope({ upload: { ...upload, url: null } }),
    'upload.url',
    'upload.url should be a string, but is null',
  ],
  [() => parseUploadEnvelope({ upload: 'x'.repeat(50) }), 'upload', 'upload should be an object, but is a long text'],
  [() => parseUploadPage({ ...page, data: {} }), 'data', 'data should be an array, but is an object'],
  [
    () => parseUploadPage({ ...page, data: [upload, {}] }),
    'data[1].slug',
    'data[1].slug should be a string, but is missing',
  ],
  [() => parseStats([]), 'body', 'body should be an object, but is an array'],
  [() => parseStats({ albums: 1 }), 'uploads', 'uploads should be a number, but is missing'],
])('the error of a body that differs from the spec names the field: %#', (parse, field, message) => {
  expect(parse).toThrow(ParseError)
  expect(parse).toThrow(expect.objectContaining({ field, message }))
})
