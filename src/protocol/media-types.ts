/** One accepted kind of file (spec 4.1). */
export interface MediaType {
  readonly mimeType: string
  /** The extension of `direct_url`. */
  readonly extension: string
  /** As a person calls it. */
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

/** 200 MB as the service counts it: 204,800 kilobytes of 1,024 bytes (spec 4.1, 8.7). */
export const defaultMaxFileSizeBytes = 209_715_200

/** How many leading bytes decide a file's type; give {@link sniffMimeType} as many where the file has them. */
export const sniffLengthBytes = 4_096

/** The accepted kind of a MIME type, or undefined where the service does not take it. */
export function acceptedMediaType(mimeType: string): MediaType | undefined {
  return mediaTypes.find((type) => type.mimeType === mimeType)
}

/**
 * Tells a file's type from its first bytes, as the content detection of such services does: names and declared types
 * play no part. Types the service refuses are named too where they are known, so that a refusal can say what it saw.
 *
 * @param head the file's first bytes, up to {@link sniffLengthBytes}
 * @returns a MIME type, or undefined where the bytes say nothing
 */
export function sniffMimeType(head: Uint8Array): string | undefined {
  if (startsWith(head, [0xff, 0xd8, 0xff])) return 'image/jpeg'
  // The eight-byte signature alone is no image: its first chunk must be the header chunk.
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) {
    return ascii(head, 12, 4) === 'IHDR' ? 'image/png' : undefined
  }
  if (/^GIF8[79]a/.test(ascii(head, 0, 6))) return 'image/gif'
  if (ascii(head, 0, 4) === 'RIFF') return ascii(head, 8, 4) === 'WEBP' ? 'image/webp' : riffType(head)
  if (startsWith(head, [0x1a, 0x45, 0xdf, 0xa3])) return ebmlType(head)
  return isoMediaType(head) ?? otherType(head)
}

/** Brands that decide the type of an ISO base media file; a brand not listed here says nothing. */
const brandTypes: readonly (readonly [RegExp, string])[] = [
  [/^(isom|iso[24568]|mp4[12]|avc1|dash|mmp4)$/, 'video/mp4'],
  [/^qt {2}$/, 'video/quicktime'],
  [/^(M4V |M4VH|M4VP)$/, 'video/x-m4v'],
  [/^(M4A |M4B )$/, 'audio/x-m4a'],
  [/^MSNV$/, 'audio/mp4'],
  [/^3g[pe].$/, 'video/3gpp'],
  [/^(heic|heix|mif1)$/, 'image/heic'],
  [/^(avif|avis)$/, 'image/avif'],
]

function isoMediaType(head: Uint8Array): string | undefined {
  const box = ascii(head, 4, 4)
  if (box === 'moov' || box === 'mdat') return 'video/quicktime'
  if (box !== 'ftyp') return undefined
  const brand = ascii(head, 8, 4)
  return brandTypes.find(([pattern]) => pattern.test(brand))?.[1]
}

/** The DocType element (id 0x4282) tells WebM from Matroska; it stands within the header, near the start. */
function ebmlType(head: Uint8Array): string | undefined {
  for (let at = 4; at + 3 < head.length; at += 1) {
    if (head[at] !== 0x42 || head[at + 1] !== 0x82) continue
    const length = (head[at + 2] ?? 0) & 0x7f
    const docType = ascii(head, at + 3, length).replace(/\0+$/, '')
    if (docType === 'webm') return 'video/webm'
    return docType === 'matroska' ? 'video/x-matroska' : undefined
  }
  return undefined
}

function riffType(head: Uint8Array): string | undefined {
  if (ascii(head, 8, 4) === 'AVI ') return 'video/x-msvideo'
  return ascii(head, 8, 4) === 'WAVE' ? 'audio/x-wav' : undefined
}

/** Common files people send by mistake; named only for the sake of the message. */
function otherType(head: Uint8Array): string | undefined {
  if (ascii(head, 0, 5) === '%PDF-') return 'application/pdf'
  if (startsWith(head, [0x50, 0x4b, 0x03, 0x04])) return 'application/zip'
  if (/^(II\*\0|MM\0\*)/.test(ascii(head, 0, 4))) return 'image/tiff'
  if (ascii(head, 0, 2) === 'BM') return 'image/x-ms-bmp'
  const start = ascii(head, 0, 256).trimStart().toLowerCase()
  if (/^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<svg/.test(start)) return 'image/svg+xml'
  if (/^<(!doctype )?html/.test(start)) return 'text/html'
  return head.length > 0 && isText(head) ? 'text/plain' : undefined
}

/** UTF-8 without control characters; the last character may be cut off where the head ends. */
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
