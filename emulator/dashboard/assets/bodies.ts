import type { BodyInfo } from '../../control/request-detail.ts'
import { jsonOrText } from './copies.ts'
import { asBytes, letterText, type Piece, pictureType, piecesOf } from './pieces.ts'
import { shown } from './shown.ts'
import { type View, view } from './view.ts'

const made = new WeakMap<BodyInfo, View>()

/** A body as text, or as pictures and sizes. Nothing of it is run: text stays text, and only known pictures are drawn. */
export function bodyView(body: BodyInfo, type = ''): View {
  const known = made.get(body) ?? newBodyView(body, type)
  made.set(body, known)
  return known
}

function newBodyView({ size, is_cut: isCut, text, base64 }: BodyInfo, type: string): View {
  const kept = view`<p class="soft">${size.toLocaleString('en')} bytes${isCut && ', of which the first 64 KiB are kept'}</p>`
  const isForm = /^multipart\/form-data/i.test(type)
  if (text !== undefined && !isForm) return [kept, textView(text)]
  const bytes = base64 === undefined ? letters(new TextEncoder().encode(text)) : atob(base64)
  const pieces = isForm ? piecesOf(bytes) : [{ name: type, bytes }]
  return [kept, pieces.map((piece) => pieceView(piece, isCut))]
}

function textView(text: string): View {
  const json = jsonOrText(text)
  const pretty = typeof json === 'string' ? text : JSON.stringify(json, null, 2)
  return view`<pre tabindex="0" role="region" aria-label="Body">${shown(pretty, 70_000, true)}</pre>`
}

function pieceView({ name, bytes }: Piece, isCut: boolean): View {
  return view`<div class="stack"><p><code>${shown(name, 600)}</code></p>${contentView(bytes, isCut)}</div>`
}

function contentView(bytes: string, isCut: boolean): View {
  const type = pictureType(bytes)
  if (type !== undefined && isCut) return view`<p class="soft">A picture (${type}), not kept whole</p>`
  if (type !== undefined) return view`<img src=${pictureAddress(bytes, type)} alt="The picture that was sent">`
  const text = letterText(bytes)
  const isBinary = /[\ufffd\0]/.test(text)
  return isBinary
    ? view`<p class="soft">${bytes.length.toLocaleString('en')} bytes that are no text</p>`
    : textView(text)
}

function pictureAddress(bytes: string, type: string): string {
  return URL.createObjectURL(new Blob([asBytes(bytes)], { type }))
}

const letters = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
