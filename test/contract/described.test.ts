import { expect, test } from 'vitest'
import { type Amendment, createDescription, type DescribedAnswer } from './described.ts'

const json = { 'Content-Type': 'application/json' }
const stats = { uploads: 1, albums: 0, total_views: 5, api_requests: 7 }
const page = { headers: new Headers({ 'Content-Type': 'text/html' }), text: '<p>' }

const problemsOf = (answer: Partial<DescribedAnswer>, ...amendments: readonly Amendment[]) => {
  const usual = { method: 'GET', path: '/api/stats', status: 200, headers: new Headers(json) }
  return createDescription(amendments).problemsOf({ ...usual, text: JSON.stringify(stats), ...answer })
}

const path = '/api/uploads/a'
const error = JSON.stringify({ error: 'x' })

const header = (name: string, value: string) => ({ headers: new Headers({ ...json, [name]: value }) })

test.each<readonly [string, Partial<DescribedAnswer>, string]>([
  ['a field is missing', { text: '{"uploads":1}' }, "must have required property 'api_requests'"],
  ['the body is a page', page, 'a body of text/html'],
  ['the body is empty', { text: '', headers: new Headers() }, 'a body of nothing'],
  ['a header is no number', header('X-RateLimit-Limit', '-1'), 'X-RateLimit-Limit:  must be integer'],
  ['a header is undescribed', { status: 401, text: error, ...header('X-RateLimit-Cost', '1') }, 'is not described'],
  ['the status is another', { status: 418 }, 'no answer 418'],
  ['an unknown path is found', { path: '/api/nope' }, '200 where there is no endpoint'],
  ['a refusal has both shapes', { path, status: 404, text: '{"error":"x","message":"x"}' }, 'must NOT be valid'],
])('an answer violates the OpenAPI document if %s', (_, answer, fault) => {
  expect(problemsOf(answer).join('; ')).toContain(fault)
})
