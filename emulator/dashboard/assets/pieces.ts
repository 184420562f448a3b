/** A part of a form, or a whole body: one letter for each byte. */
export interface Piece {
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

export const asBytes = (letters: string) => Uint8Array.from(letters, (letter) => letter.charCodeAt(0))

export const letterText = (letters: string) => new TextDecoder().decode(asBytes(letters))
