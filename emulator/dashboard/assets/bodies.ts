import type { BodyInfo } from '../../control/request-detail.ts'
import { jsonOrText } from './copies.ts'
import { type Child, h } from './dom.ts'
import { type Piece, piecesOf, utf8 } from './pieces.ts'
import { shown } from './shown.ts'

const bytesIn = new Intl.NumberFormat('en')

/** A body as text, or as the sizes of its parts. */
export function bodyShown(body: BodyInfo, type: string): Child {
  const size = `${bytesIn.format(body.size)} bytes${body.is_cut ? ', of which the first 64 KiB are kept' : ''}`
  const isForm = /^multipart\/form-data/i.test(type)
  if (body.text !== undefined && !isForm) return [h('p.soft', size), textShown(body.text)]
  const bytes = body.base64 === undefined ? latin1(body.text ?? '') : atob(body.base64)
  const pieces = isForm ? piecesOf(bytes) : [{ name: type, bytes }]
  return [h('p.soft', size), pieces.map(pieceShown)]
}

function textShown(text: string): Child {
  const json = jsonOrText(text)
  const pretty = typeof json === 'string' ? text : JSON.stringify(json, null, 2)
  return h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Body' }, shown(pretty, 70_000, true))
}

function pieceShown({ name, bytes }: Piece): Child {
  return h('div.piece', h('p', h('code', shown(name, 600))), contentShown(bytes))
}

function contentShown(bytes: string): Child {
  const text = utf8(bytes)
  return isBinary(text) ? h('p.soft', `${bytesIn.format(bytes.length)} bytes that are no text`) : textShown(text)
}

function isBinary(text: string): boolean {
  return text.includes('\ufffd') || text.includes('\0')
}

function latin1(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}
