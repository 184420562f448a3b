import type { BodyInfo } from '../../control/request-detail.ts'
import { jsonOrText } from './copies.ts'
import { type Child, h } from './dom.ts'
import { type Piece, pictureType, piecesOf, utf8 } from './pieces.ts'
import { shown } from './shown.ts'

const bytesIn = new Intl.NumberFormat('en')

/** A body as text, or as pictures and sizes. Nothing of it is run: text stays text, and only known pictures are drawn. */
export function bodyShown(body: BodyInfo, type: string): Child {
  const size = `${bytesIn.format(body.size)} bytes${body.is_cut ? ', of which the first 64 KiB are kept' : ''}`
  const isForm = /^multipart\/form-data/i.test(type)
  if (body.text !== undefined && !isForm) return [h('p.soft', size), textShown(body.text)]
  const bytes = body.base64 === undefined ? latin1(body.text ?? '') : atob(body.base64)
  const pieces = isForm ? piecesOf(bytes) : [{ name: type, bytes }]
  return [h('p.soft', size), pieces.map((piece) => pieceShown(piece, body.is_cut))]
}

function textShown(text: string): Child {
  const json = jsonOrText(text)
  const pretty = typeof json === 'string' ? text : JSON.stringify(json, null, 2)
  return h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Body' }, shown(pretty, 70_000, true))
}

function pieceShown({ name, bytes }: Piece, isCut: boolean): Child {
  return h('div.piece', h('p', h('code', shown(name, 600))), contentShown(bytes, isCut))
}

function contentShown(bytes: string, isCut: boolean): Child {
  const type = pictureType(bytes)
  if (type !== undefined) return isCut ? h('p.soft', `A picture (${type}), not kept whole`) : picture(bytes, type)
  const text = utf8(bytes)
  return isBinary(text) ? h('p.soft', `${bytesIn.format(bytes.length)} bytes that are no text`) : textShown(text)
}

/** Addresses of pictures, kept so that drawing the page again makes no new ones. */
const pictures = new Map<string, string>()

function picture(bytes: string, type: string): Child {
  const known = pictures.get(bytes)
  const url =
    known ?? URL.createObjectURL(new Blob([Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))], { type }))
  if (known === undefined && pictures.size > 20) pictures.clear()
  pictures.set(bytes, url)
  return h('img', { src: url, alt: 'The picture that was sent' })
}

function isBinary(text: string): boolean {
  return text.includes('\ufffd') || text.includes('\0')
}

function latin1(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}
