import { expect, test } from 'vitest'
import { parseFields, pickFields, uploadFields } from '../../../../src/cli/output/fields.ts'
import { uploadObject } from '../../../helpers/media.ts'

test('chosen fields are picked in the order in which they are named', () => {
  expect(JSON.stringify(pickFields(uploadObject, parseFields('size, slug', uploadFields)))).toBe(
    '{"size":123,"slug":"a1B2c3D4e5"}',
  )
})

test('a field that the record of an upload lacks is picked from its upload', () => {
  const record = { file: 'a.jpg', status: 'uploaded', upload: uploadObject, error: null }
  expect(pickFields(record, ['file', 'url'])).toEqual({ file: 'a.jpg', url: 'http://h/i/a1B2c3D4e5' })
})

test('a chosen field that is found nowhere is null', () => {
  expect(pickFields({ file: 'a.jpg', upload: null }, ['url'])).toEqual({ url: null })
})

test.each(['sluf', 'slug,nope', '', ','])('--fields %j is refused, and the hint lists the fields', (text) => {
  expect(() => parseFields(text, uploadFields)).toThrow(/unknown field/)
})
