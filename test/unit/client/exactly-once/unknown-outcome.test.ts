import { expect, test } from 'vitest'
import { likelyUploads } from '../../../../src/client/calls/upload-errors.ts'
import { uploadObject } from '../../../helpers/media.ts'

test.each([
  [1, 'u1'],
  [2, 'one of u1, u2'],
  [12, 'one of u1, u2, u3, u4, u5, u6, u7, u8, u9, u10 and 2 more'],
])('of %i uploads that may be a file, the first ten links are named', (count, words) => {
  const uploads = Array.from({ length: count }, (_, index) => ({ ...uploadObject, url: `u${index + 1}` }))
  expect(likelyUploads(uploads)).toBe(`It is probably ${words}`)
})
