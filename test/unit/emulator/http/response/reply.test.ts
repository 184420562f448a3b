import { expect, test } from 'vitest'
import { exceptionJson, jsonReply } from '../../../../../emulator/http/response/reply.ts'

test('the service writes one line, with slashes escaped and UTF-16 escapes outside ASCII', () => {
  const value = { message: 'a/b « ă 🦝 <&> "\\" \u007f\n', list: [], nothing: null }
  expect(jsonReply(201, value, { style: 'laravel' })).toEqual({
    status: 201,
    // Without a charset.
    headers: { 'Content-Type': 'application/json' },
    body: '{"message":"a\\/b \\u00ab \\u0103 \\ud83e\\udd9d <&> \\"\\\\\\" \u007f\\n","list":[],"nothing":null}',
  })
})

test('the framework indents exceptions by four and does not escape slashes', () => {
  const { body } = exceptionJson(404, 'a/b « App\\Models', { style: 'laravel' })
  expect(body).toBe('{\n    "message": "a/b \\u00ab App\\\\Models"\n}')
})
