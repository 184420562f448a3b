import { expect, test } from 'vitest'
import { compactJson, exceptionJson, jsonReply, prettyJson } from '../../../../../emulator/http/response/json.ts'

const value = { message: 'a/b « ă 🦝 <&> "\\" \u007f\n', list: [], nothing: null }

test('the service writes one line, with slashes escaped and UTF-16 escapes outside ASCII', () => {
  expect(compactJson(value)).toBe(
    '{"message":"a\\/b \\u00ab \\u0103 \\ud83e\\udd9d <&> \\"\\\\\\" \u007f\\n","list":[],"nothing":null}',
  )
})

test('the framework indents exceptions by four and does not escape slashes', () => {
  expect(prettyJson({ message: 'a/b « App\\Models', list: [] })).toBe(
    '{\n    "message": "a/b \\u00ab App\\\\Models",\n    "list": []\n}',
  )
})

test('the JSON content type has no charset', () => {
  expect(jsonReply(201, {}, { style: 'laravel' }).headers).toEqual({ 'Content-Type': 'application/json' })
  expect(exceptionJson(404, 'gone', { style: 'laravel', headers: { Allow: 'GET' } }).headers).toEqual({
    'Content-Type': 'application/json',
    Allow: 'GET',
  })
})
