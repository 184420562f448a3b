import { expect, test } from 'vitest'
import { type SortKey, sortUploads } from '../../../../../src/cli/commands/list.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const uploads = [
  { ...uploadObject, slug: 'a', size: 5, views: 0, title: 'IMG_10' },
  { ...uploadObject, slug: 'b', size: 9, views: 7, title: null },
  { ...uploadObject, slug: 'c', size: 5, views: 7, title: 'img_2' },
  { ...uploadObject, slug: 'd', size: 1, views: 3, title: 'Äpfel' },
]

test.each<readonly [SortKey, boolean, string]>([
  ['created', false, 'abcd'],
  ['created', true, 'dcba'],
  ['size', false, 'bacd'],
  ['size', true, 'dacb'],
  ['views', false, 'bcda'],
  ['views', true, 'adbc'],
  ['name', false, 'dcab'],
  ['name', true, 'acdb'],
])('uploads by %s, reversed: %s, are %s: equal ones newest first, nameless ones last', (sort, reverse, order) => {
  const sorted = sortUploads(uploads, { sort, reverse }, ({ title }) => title)
  expect(sorted.map(({ slug }) => slug).join('')).toBe(order)
})
