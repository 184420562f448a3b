import { expect, test } from 'vitest'
import { parseFields, uploadFields } from '../../../../src/cli/output/fields.ts'
import { pickFields } from '../../../../src/cli/output/json.ts'
import { uploadObject } from '../../../helpers/media.ts'

test('chosen fields are picked in the order in which they are named, from a record or its upload; others are null', () => {
  const record = { file: 'a.jpg', upload: uploadObject, error: null }
  const known = [...uploadFields, 'file', 'path']
  expect(JSON.stringify(pickFields(record, parseFields('size, path,file', known)))).toBe(
    '{"size":123,"path":null,"file":"a.jpg"}',
  )
  for (const text of ['sluf', 'slug,nope', '', ',']) {
    expect(() => parseFields(text, uploadFields), text).toThrow(/unknown field/)
  }
})
