import { counted } from '../../../src/protocol/quantities.ts'
import type { BodyInfo } from '../../control/request-detail.ts'
import { jsonOrText } from './copies.ts'
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
  const kept = view`<p class="soft">${counted(size, 'byte')}${isCut && ', of which the first 64 KiB are kept'}</p>`
  const isForm = /^multipart\/form-data/i.test(type)
  if (text !== undefined && !isForm) return [kept, textView(text)]
  const bytes = base64 === undefined ? letters(new TextEncoder().encode(text)) : atob(base64)
  const pieces = isForm ? piecesOf(bytes) : [{ name: type, bytes }]
  return [kept, pieces.map(({ name, bytes }) => [textView(name), contentView(bytes, isCut)])]
}

function textView(text: string): View {
  const json = jsonOrText(text)
  const pretty = typeof json === 'string' ? text : JSON.stringify(json, null, 2)
  return view`<pre tabindex="0" role="region" aria-label="Body">${shown(pretty, 70_000, true)}</pre>`
}

function contentView(bytes: string, isCut: boolean): View {
  const type = pictureType(bytes)
  if (type !== undefined && isCut) return view`<p class="soft">A picture (${type}), not kept whole</p>`
  if (type !== undefined) {
    const address = URL.createObjectURL(new Blob([asBytes(bytes)], { type }))
    return view`<img src=${address} alt="The picture that was sent">`
  }
  const text = letterText(bytes)
  return /[\ufffd\0]/.test(text)
    ? view`<p class="soft">${counted(bytes.length, 'byte')} that are no text</p>`
    : textView(text)
}

/** A part of a form, or a whole body: one letter for each byte. */
interface Piece {
  /** Its headers. */
  readonly name: string
  readonly bytes: string
}

/** The parts of a form, told apart by its first line. */
export function piecesOf(bytes: string): readonly Piece[] {
  const boundary = bytes.slice(0, bytes.indexOf('\r\n'))
  if (!boundary.startsWith('--')) return [{ name: 'form', bytes }]
  const parts = bytes.split(boundary).filter((part) => part.startsWith('\r\n'))
  return parts.map((part) => {
    const end = part.indexOf('\r\n\r\n')
    return { name: letterText(part.slice(2, end)), bytes: part.slice(end + 4).replace(/\r\n$/, '') }
  })
}

const pictureTypes = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
] as const

/** By the first bytes alone: a drawing with a program in it is none of these. */
export function pictureType(bytes: string): string | undefined {
  return pictureTypes.find(([, pattern]) => pattern.test(bytes))?.[0]
}

const asBytes = (letters: string) => Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
const letterText = (letters: string) => new TextDecoder().decode(asBytes(letters))
const letters = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
