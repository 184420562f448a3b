import { expect, test } from 'vitest'
import { otherMediaKind } from '../../../../../src/cli/commands/upload/left-out.ts'
import { sniffMimeType } from '../../../../../src/protocol/media-types.ts'

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
  ['film.wmv', undefined, 'unsupported video'],
  ['film.ts', undefined, 'MPEG-TS video'],
  ['page.jpg', 'text/html', 'unrecognised picture'],
  ['odd.mp4', undefined, 'unrecognised video'],
])('%s with the content %s is a %s', (path, mimeType, kind) => {
  expect(otherMediaKind(path, mimeType, Buffer.alloc(64, 7))).toBe(kind)
})

const ftyp = (brand: string) => `\0\0\0\x18ftyp${brand}\0\0\x02\0isommp42\0\0\0\x08free`
const box = (type: string) => `\0\0\0\x08${type}\0\0\0\x40mdat0123456789`

/** The first bytes of whole files, as cameras and programs write them, and of files that a copy has cut. */
test.each<[string, string, string]>([
  ['C0001.MP4', ftyp('XAVC'), 'XAVC video'],
  ['PSP.MP4', ftyp('MSNV'), 'MSNV video'],
  ['segment.mp4', ftyp('cmfc'), 'cmfc video'],
  ['hevc.mp4', ftyp('hvc1'), 'hvc1 video'],
  ['av1.mp4', ftyp('av01'), 'av01 video'],
  ['dolby.mp4', ftyp('dby1'), 'dby1 video'],
  ['flash.mp4', ftyp('f4v '), 'f4v video'],
  ['a.mov', ftyp('\x1b[2J'), 'unrecognised video'],
  ['photo.mp4', ftyp('heic'), 'HEIC photo'],
  ['old.mov', box('wide'), 'old-style MOV video'],
  ['old.mp4', box('free'), 'old-style MOV video'],
  ['old.qt', box('skip'), 'old-style MOV video'],
  ['old.mov', box('pnot'), 'old-style MOV video'],
  ['part.mp4', box('styp'), 'MP4 video segment'],
  ['part.mp4', box('moof'), 'MP4 video segment'],
  ['a.webp', 'RIFF\0\0\0\0AVI LIST\0\0\0\0hdrlavih', 'AVI video'],
  ['a.webp', 'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x44\xac', 'unrecognised picture'],
  ['a.webm', '\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska\0\0\0\0', 'MKV video'],
  ['a.jpg', '\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0', 'unrecognised picture'],
  ['a.jpg', '\0'.repeat(4_096), 'damaged picture'],
  ['a.png', '\x89PNG\r\n\x1a\n\0\0', 'damaged picture'],
  ['a.mp4', '\0\0\0\x18ftypXAVC', 'damaged video'],
  ['a.mp4', '\0'.repeat(4_096), 'damaged video'],
])('%s that begins with %j is a %s', (path, text, kind) => {
  const head = Buffer.from(text, 'latin1')
  expect(otherMediaKind(path, sniffMimeType(head), head)).toBe(kind)
})

test.each([
  ['README', 'text/plain'],
  ['index.ts', 'text/plain'],
  ['Thumbs.db', undefined],
  ['song.m4a', 'audio/x-m4a'],
  ['jpg', undefined],
])('%s with the content %s is neither picture nor video', (path, mimeType) => {
  expect(otherMediaKind(path, mimeType, Buffer.from('text'))).toBeUndefined()
})
