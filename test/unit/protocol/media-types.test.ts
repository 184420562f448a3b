import { expect, test } from 'vitest'
import { acceptedMediaType, mediaTypes, sniffLengthBytes, sniffMimeType } from '../../../src/protocol/media-types.ts'
import { phpFacts } from '../../helpers/php-facts.ts'

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const ftyp = (brand: string) => bytes(`\0\0\0\x18ftyp${brand}\0\0\0\0`)
const ebml = (docType: string) =>
  bytes(`\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 | docType.length)}${docType}`)

type Row = readonly [string, Uint8Array, string | undefined]

test.each<Row>([
  ['RIFF with AVI', bytes('RIFF\0\0\0\0AVI '), 'video/x-msvideo'],
  ['EBML with DocType matroska', ebml('matroska'), 'video/x-matroska'],
  ['brand M4V', ftyp('M4V '), 'video/x-m4v'],
  ['brand M4VH', ftyp('M4VH'), 'video/x-m4v'],
  ['brand M4VP', ftyp('M4VP'), 'video/x-m4v'],
  ['brand M4A', ftyp('M4A '), 'audio/x-m4a'],
  ['brand MSNV', ftyp('MSNV'), 'audio/mp4'],
  ['brand 3gp4', ftyp('3gp4'), 'video/3gpp'],
  ['brand heic', ftyp('heic'), 'image/heic'],
  ['brand mif1', ftyp('mif1'), 'image/heif'],
  ['brand avif', ftyp('avif'), 'image/avif'],
  ['a TIFF', bytes('II*\0'), 'image/tiff'],
  ['an ICO', bytes('\0\0\x01\0\x01\0'), undefined],
  ['a PDF', bytes('%PDF-1.7'), 'application/pdf'],
  ['an SVG', bytes('<svg xmlns="x">'), 'image/svg+xml'],
  ['an SVG behind an XML declaration', bytes('<?xml version="1.0"?>\n<svg>'), 'image/svg+xml'],
  ['an HTML page', bytes('<!DOCTYPE html>'), 'text/html'],
  ['plain text', bytes('hello\n'), 'text/plain'],
  ['a BMP', bytes('BM\0\0\0\0'), 'image/x-ms-bmp'],
  ['nothing', bytes(''), undefined],
])('%s is %s', (_, head, type) => {
  expect(sniffMimeType(head)).toBe(type)
})

/** A file as parts, each with its number of repetitions, and its type by PHP 8.2. */
type PhpType = readonly [parts: readonly (readonly [string, number])[], type: string]

const described = ([parts, type]: PhpType) =>
  [parts.map(([text, times]) => JSON.stringify(text) + (times === 1 ? '' : ` × ${times}`)).join(' '), type] as const

test.each(phpFacts<PhpType>('types').map((fact) => [...described(fact), fact[0]] as const))(
  'the file %s is of an accepted type just where PHP says so: %s',
  (_, type, parts) => {
    const file = bytes(parts.map(([text, times]) => text.repeat(times)).join(''))
    const sniffed = sniffMimeType(file.subarray(0, sniffLengthBytes))
    const accepted = sniffed === undefined ? undefined : acceptedMediaType(sniffed)?.mimeType
    expect(accepted).toBe(acceptedMediaType(type)?.mimeType)
  },
)

test('seven types are accepted, each by its MIME type', () => {
  expect(mediaTypes).toHaveLength(7)
  expect(acceptedMediaType('video/quicktime')?.extension).toBe('mov')
  expect(acceptedMediaType('video/x-matroska')).toBeUndefined()
})
