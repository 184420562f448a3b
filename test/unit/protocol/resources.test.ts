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

test('an upload is read unchanged, with fields that the spec does not name', () => {
  const more = { ...upload, id: 7, width: 800 }
  expect(parseUploadEnvelope({ upload: more })).toEqual(more)
})

test('numeric strings are read as numbers, counters that are null as 0', () => {
  const counted = { ...upload, size: '123', views: '4', likes: null }
  expect(parseUploadEnvelope({ upload: counted })).toMatchObject({ size: 123, views: 4, likes: 0 })
  const stats = { uploads: '3', albums: null, total_views: '1234', api_requests: 9 }
  expect(parseStats(stats)).toMatchObject({ uploads: 3, albums: 0, total_views: 1234 })
})

test('a missing title and thumbnail are read as null', () => {
  const { title: _, thumb_url: __, ...rest } = upload
  expect(parseUploadEnvelope({ upload: rest })).toMatchObject({ title: null, thumb_url: null })
})

test('a label that cannot be text is read as none', () => {
  const label = JSON.parse(`[{"toString":1,"valueOf":1},${'['.repeat(10_000)}${']'.repeat(10_000)}]`)
  const links = label.map((each: unknown) => ({ url: null, label: each, active: false }))
  expect(parseUploadPage({ ...page, links }).links.map((link) => link.label)).toEqual(['', ''])
})

const ofUpload = (given: unknown) => parseUploadEnvelope({ upload: given })

test.each([
  ['upload', 'should be an object, but is missing', () => parseUploadEnvelope({})],
  ['upload.size', 'should be a number, but is the string "big"', () => ofUpload({ ...upload, size: 'big' })],
  ['upload.url', 'should be a string, but is null', () => ofUpload({ ...upload, url: null })],
  ['upload', 'should be an object, but is a long text', () => ofUpload('x'.repeat(50))],
  ['data', 'should be an array, but is an object', () => parseUploadPage({ ...page, data: {} })],
  ['data[1].slug', 'should be a string, but is missing', () => parseUploadPage({ ...page, data: [upload, {}] })],
  [
    'upload.slug',
    'should be a string that is not empty, but is the string " "',
    () => ofUpload({ ...upload, slug: ' ' }),
  ],
  ['body', 'should be an object, but is an array', () => parseStats([])],
  ['uploads', 'should be a number, but is missing', () => parseStats({ albums: 1 })],
])('the error of a body that differs from the spec names the field: %s %s', (field, words, parse) => {
  expect(parse).toThrow(ParseError)
  expect(parse).toThrow(expect.objectContaining({ field, message: `${field} ${words}` }))
})
