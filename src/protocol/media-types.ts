/** One accepted kind of file (spec 4.1). */
export interface MediaType {
  readonly mimeType: string
  /** The extension of `direct_url`. */
  readonly extension: string
  /** The name for people. */
  readonly label: string
}

/** The seven kinds the service accepts, in the spec's order (spec 4.1). */
export const mediaTypes: readonly MediaType[] = [
  { mimeType: 'image/jpeg', extension: 'jpg', label: 'JPEG' },
  { mimeType: 'image/png', extension: 'png', label: 'PNG' },
  { mimeType: 'image/gif', extension: 'gif', label: 'GIF' },
  { mimeType: 'image/webp', extension: 'webp', label: 'WebP' },
  { mimeType: 'video/mp4', extension: 'mp4', label: 'MP4' },
  { mimeType: 'video/webm', extension: 'webm', label: 'WebM' },
  { mimeType: 'video/quicktime', extension: 'mov', label: 'QuickTime (MOV)' },
]

/** 200 MB in the service's count: 204,800 kilobytes of 1,024 bytes (spec 4.1, 8.7). */
export const defaultMaxFileSizeBytes = 209_715_200

/** Names that a PHP web server might execute: such services refuse them, even for an image, with blanks beside the extension too. */
export const executableName = /\.[ \t\n\r\v]*(php[3-578]?|phtml|phar)[ \t\n\r\v]*$/i

/** The offsets between which the DocType element of a WebM or Matroska file is looked for. */
const docTypeRange = [4, 4_101] as const

/** How many leading bytes {@link sniffMimeType} needs, if the file has them. */
export const sniffLengthBytes = docTypeRange[1] + '\x82\x88matroska'.length

/** The accepted kind of a MIME type; undefined if the service does not accept it. */
export function acceptedMediaType(mimeType: string): MediaType | undefined {
  return mediaTypes.find((type) => type.mimeType === mimeType)
}

/** A MIME type without its parameters. */
export function essence(mimeType: string): string {
  return mimeType.replace(/;.*$/s, '').trim().toLowerCase()
}

/**
 * Finds a file's type by its first bytes, not by its name. The seven accepted types follow PHP 8.2 byte for byte, because
 * the service decides by PHP; `test/fixtures/php/types.json` has PHP's answers. Some types that the service refuses are
 * known too, so that a refusal can name them.
 *
 * @param head the file's first bytes, up to {@link sniffLengthBytes}
 * @returns a MIME type; undefined if the bytes do not tell
 */
export function sniffMimeType(head: Uint8Array): string | undefined {
  if (startsWith(head, [0xff, 0xd8])) return 'image/jpeg'
  if (ascii(head, 0, 4) === 'GIF8') return 'image/gif'
  if (isPng(head)) return 'image/png'
  if (/^(II\*\0|MM\0\*)$/.test(ascii(head, 0, 4))) return 'image/tiff'
  if (isMpegStream(head)) return 'video/mpeg'
  const docType = startsWith(head, [0x1a, 0x45, 0xdf, 0xa3]) ? ebmlType(head) : undefined
  return docType ?? isoMediaType(head) ?? riffType(head) ?? otherType(head)
}

/** After the signature comes a header chunk of 13 bytes, or Apple's own chunk and then the header chunk. */
function isPng(head: Uint8Array): boolean {
  if (!startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return false
  return ascii(head, ascii(head, 8, 8) === '\0\0\0\x04CgBI' ? 24 : 8, 8) === '\0\0\0\rIHDR'
}

/** Sizes of a first box that PHP takes for the start code of an MPEG stream. */
const startCodes = new Set([
  0x107, 0x127, 0x147, 0x167, 0x187, 0x1a7, 0x1b0, 0x1b3, 0x1b5, 0x1ba, 0x1bb, 0x1c7, 0x1e7, 0x3e7, 0x3f3, 0x3fa,
])

function isMpegStream(head: Uint8Array): boolean {
  const [first, second, third = 0, fourth = 0] = head
  return first === 0 && second === 0 && startCodes.has(third * 256 + fourth)
}

/** The brands that decide the type of an ISO base media file. */
const brandTypes: readonly (readonly [RegExp, string])[] = [
  [/^(iso|F4[VP]|M4P|avc1|isml|dash|mmp4|mobi|mp4[12]|ARRI|bbxm|niko|NDS[CHMPS]|NDX[CHMP])/, 'video/mp4'],
  [/^(qt|mqt)/, 'video/quicktime'],
  [/^M4V/, 'video/x-m4v'],
  [/^M4A/, 'audio/x-m4a'],
  [/^(M4B|F4[AB]|MSNV|NDAS)/, 'audio/mp4'],
  [/^3g[eghmprst]/, 'video/3gpp'],
  [/^(3g2|KDDI)/, 'video/3gpp2'],
  [/^hei[cx]/, 'image/heic'],
  [/^(hei[ms]|mif1)/, 'image/heif'],
  [/^avi[fs]/, 'image/avif'],
]

function isoMediaType(head: Uint8Array): string | undefined {
  const box = ascii(head, 4, 4)
  if (box === 'moov' || box === 'mdat') return 'video/quicktime'
  if (box !== 'ftyp') return undefined
  const brand = ascii(head, 8, 4)
  return brandTypes.find(([pattern]) => pattern.test(brand))?.[1]
}

/**
 * What a whole file of the family of MP4 and QuickTime is called that the service does not take, such as `XAVC video`; undefined
 * for other files.
 */
export function isoVariety(head: Uint8Array): string | undefined {
  const [box, brand] = [ascii(head, 4, 4), ascii(head, 8, 4).trim()]
  if (box === 'ftyp') return /^\w+$/.test(brand) ? `${brand} video` : undefined
  // Before there were brands.
  if (/^(wide|free|skip|pnot|junk|uuid)$/.test(box)) return 'old-style MOV video'
  return /^(styp|moof|sidx|emsg|prft)$/.test(box) ? 'MP4 video segment' : undefined
}

/**
 * The first DocType element (id 0x4282) tells WebM from Matroska. It has one byte for its length, which is ignored, and
 * its text, whose beginning counts.
 */
function ebmlType(head: Uint8Array): string | undefined {
  const [from, to] = docTypeRange
  for (let at = from; at < to && at < head.length; at += 1) {
    if (head[at] !== 0x42 || head[at + 1] !== 0x82) continue
    const docType = ascii(head, at + 3, 'matroska'.length)
    if (docType.startsWith('webm')) return 'video/webm'
    return docType === 'matroska' ? 'video/x-matroska' : undefined
  }
  return undefined
}

/** PHP finds no type for a RIFF file with `ftyp` at the place of its size. */
function riffType(head: Uint8Array): string | undefined {
  if (ascii(head, 0, 4) !== 'RIFF' || ascii(head, 4, 4) === 'ftyp') return undefined
  return riffTypes[ascii(head, 8, 4)]
}

const riffTypes: Readonly<Record<string, string>> = {
  WEBP: 'image/webp',
  'AVI ': 'video/x-msvideo',
  WAVE: 'audio/x-wav',
}

/** Common files that people send by mistake, named for the message only. */
function otherType(head: Uint8Array): string | undefined {
  if (ascii(head, 0, 5) === '%PDF-') return 'application/pdf'
  if (startsWith(head, [0x50, 0x4b, 0x03, 0x04])) return 'application/zip'
  if (ascii(head, 0, 2) === 'BM') return 'image/x-ms-bmp'
  const start = ascii(head, 0, 256).trimStart().toLowerCase()
  if (/^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<svg/.test(start)) return 'image/svg+xml'
  if (/^<(!doctype )?html/.test(start)) return 'text/html'
  return head.length > 0 && isText(head) ? 'text/plain' : undefined
}

/** UTF-8 without control characters; the last character may be cut off. */
function isText(head: Uint8Array): boolean {
  const printable = head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  try {
    return printable && new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }) !== ''
  } catch {
    return false
  }
}

function startsWith(head: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => head[index] === byte)
}

function ascii(head: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...head.subarray(from, from + length))
}
