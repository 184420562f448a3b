import { expect, test } from 'vitest'
import { uploadObject } from '../helpers/media.ts'
import { type Amendment, createDescription, type DescribedAnswer } from './described.ts'

const json = { 'Content-Type': 'application/json' }
const stats = { uploads: 1, albums: 0, total_views: 5, api_requests: 7 }

const problemsOf = (answer: Partial<DescribedAnswer>, ...amendments: readonly Amendment[]) => {
  const usual = {
    method: 'GET',
    path: '/api/stats',
    status: 200,
    headers: new Headers(json),
    text: JSON.stringify(stats),
  }
  return createDescription(amendments).problemsOf({ ...usual, ...answer })
}

const path = '/api/uploads/a'
const shown = (fields: object) => ({ path, text: JSON.stringify({ upload: { ...uploadObject, ...fields } }) })

const error = JSON.stringify({ error: 'x' })
const message = JSON.stringify({ message: 'x' })

test.each<readonly [string, Partial<DescribedAnswer>]>([
  ['the statistics', {}],
  ['undescribed fields', { text: JSON.stringify({ ...stats, plan: 'free' }) }],
  ['a HEAD without a body', { method: 'HEAD', text: '' }],
  ['a refusal', { status: 401, text: error }],
  ['an unknown path', { path: '/api/nope', status: 404, text: message }],
  ['an unknown method', { method: 'PUT', status: 405, text: message }],
  ['a POST that means a deletion', { method: 'POST', path: '/api/uploads/a?_method=DELETE', text: '{"deleted":true}' }],
  ['a page of the site', { path: '/i/abc', text: '<p>' }],
])('%s matches the OpenAPI document', (_, answer) => {
  expect(problemsOf(answer)).toEqual([])
})

test.each<readonly [string, Partial<DescribedAnswer>, string]>([
  [
    'a field is missing',
    { text: '{"uploads":1,"albums":0,"total_views":5}' },
    "must have required property 'api_requests'",
  ],
  ['a field is of another type', { text: JSON.stringify({ ...stats, albums: '0' }) }, '/albums must be integer'],
  ['a field is below zero', { text: JSON.stringify({ ...stats, albums: -1 }) }, '/albums must be >= 0'],
  ['the body is a page', { headers: new Headers({ 'Content-Type': 'text/html' }), text: '<p>' }, 'a body of text/html'],
  ['the body is empty', { text: '', headers: new Headers() }, 'a body of nothing'],
  [
    'a header is no number',
    { headers: new Headers({ ...json, 'X-RateLimit-Limit': '-1' }) },
    'X-RateLimit-Limit:  must be integer',
  ],
  [
    'a header is not described for its status',
    { status: 401, text: error, headers: new Headers({ ...json, 'X-RateLimit-Cost': '1' }) },
    'X-RateLimit-Cost is not described',
  ],
  ['the status is another', { status: 418 }, 'no answer 418'],
  ['a refusal has the other shape', { status: 401, text: message }, "must have required property 'error'"],
  [
    'what is not found has an error',
    { path: '/api/uploads/a', status: 404, text: error },
    "must have required property 'message'",
  ],
  ['an unknown path is found', { path: '/api/nope' }, '200 where there is no endpoint'],
  ['the size of an upload is a text', shown({ size: '5' }), '/upload/size must be integer'],
  ['an upload has no title', shown({ title: undefined }), "must have required property 'title'"],
  ['a time has no numeric offset', shown({ created_at: '2026-01-15T12:00:00Z' }), 'created_at must match pattern'],
  ['an upload has no envelope', { path, text: JSON.stringify(uploadObject) }, "must have required property 'upload'"],
  [
    'what is not found has both shapes',
    { path, status: 404, text: '{"error":"x","message":"x"}' },
    'must NOT be valid',
  ],
  [
    'a deletion is confirmed by a number',
    { method: 'DELETE', path, text: '{"deleted":1}' },
    'must be equal to constant',
  ],
])('an answer violates the OpenAPI document if %s', (_, answer, fault) => {
  expect(problemsOf(answer).join('; ')).toContain(fault)
})

test('an amendment changes the document, and met answers are tracked', () => {
  const at = ['components', 'schemas', 'Stats', 'properties', 'total_views']
  expect(problemsOf({ text: JSON.stringify({ ...stats, total_views: '5' }) }, [at, { type: 'string' }])).toEqual([])
  const description = createDescription([])
  description.problemsOf({ method: 'GET', path: '/api/stats', status: 200, headers: new Headers(json), text: error })
  expect([...description.met]).toEqual(['getStats 200'])
  expect(description.documented).toEqual(expect.arrayContaining(['getStats 200', 'uploadFile 413', 'deleteUpload 404']))
})
