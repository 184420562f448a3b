import { expect, test } from 'vitest'
import { otherMediaKind } from '../../../../../../src/cli/commands/upload/inputs/other-media.ts'

test.each([
  ['holiday/IMG_1.HEIC', 'image/heic', 'HEIC photo'],
  // A phone may have given it another name.
  ['IMG_1.jpg', 'image/heic', 'HEIC photo'],
  ['IMG_1', 'image/heic', 'HEIC photo'],
  ['DSC_1.NEF', 'image/tiff', 'raw photo'],
  ['scan.tif', 'image/tiff', 'TIFF picture'],
  ['new.avif', undefined, 'AVIF picture'],
  ['logo.svg', 'image/svg+xml', 'SVG picture'],
  ['old.avi', 'video/x-msvideo', 'AVI video'],
  ['film.wmv', undefined, 'WMV video'],
  ['film.ts', undefined, 'MPEG-TS video'],
  ['page.jpg', 'text/html', 'damaged picture'],
  ['cut.mp4', undefined, 'damaged video'],
])('%s with the content %s is a %s', (path, mimeType, kind) => {
  expect(otherMediaKind(path, mimeType)).toBe(kind)
})

test.each([
  ['README', 'text/plain'],
  ['index.ts', 'text/plain'],
  ['Thumbs.db', undefined],
  ['song.m4a', 'audio/x-m4a'],
  ['jpg', undefined],
])('%s with the content %s is neither picture nor video', (path, mimeType) => {
  expect(otherMediaKind(path, mimeType)).toBeUndefined()
})
