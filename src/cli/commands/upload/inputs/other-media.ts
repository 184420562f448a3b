import { extname } from 'node:path'
import { isoVariety } from '../../../../protocol/media-types.ts'

interface OtherMedia {
  /** For people, in the singular. */
  readonly kind: string
  /** In lower case, separated by spaces. */
  readonly extensions: string
  /** What {@link sniffMimeType} finds, by the bytes alone. */
  readonly mimeTypes?: string
}

/** The pictures and videos that the service does not take. A raw photo begins like a TIFF, so names come before bytes. */
const otherMedia: readonly OtherMedia[] = [
  { kind: 'HEIC photo', extensions: 'heic heics hif', mimeTypes: 'image/heic' },
  { kind: 'HEIF photo', extensions: 'heif heifs', mimeTypes: 'image/heif' },
  {
    kind: 'raw photo',
    extensions:
      '3fr ari arw bay cr2 cr3 crw dcr dng eip erf gpr iiq k25 kdc mef mos mrw nef nrw orf pef raf rw2 rwl sr2 srf srw x3f',
  },
  { kind: 'AVIF picture', extensions: 'avif avifs', mimeTypes: 'image/avif' },
  { kind: 'TIFF picture', extensions: 'tif tiff', mimeTypes: 'image/tiff' },
  { kind: 'BMP picture', extensions: 'bmp dib', mimeTypes: 'image/x-ms-bmp' },
  { kind: 'SVG picture', extensions: 'svg svgz', mimeTypes: 'image/svg+xml' },
  { kind: 'JPEG XL picture', extensions: 'jxl' },
  { kind: 'JPEG 2000 picture', extensions: 'j2c j2k jp2 jpf jpm jpx' },
  { kind: 'JPEG XR picture', extensions: 'hdp jxr wdp' },
  { kind: 'Photoshop picture', extensions: 'psb psd' },
  { kind: 'OpenEXR picture', extensions: 'exr' },
  { kind: 'TGA picture', extensions: 'tga' },
  { kind: 'ICO picture', extensions: 'ico' },
  { kind: 'MKV video', extensions: 'mk3d mkv', mimeTypes: 'video/x-matroska' },
  { kind: 'AVI video', extensions: 'avi divx', mimeTypes: 'video/x-msvideo' },
  { kind: 'WMV video', extensions: 'asf wmv' },
  { kind: 'M4V video', extensions: 'm4v', mimeTypes: 'video/x-m4v' },
  { kind: 'MPEG video', extensions: 'm2v mpe mpeg mpg vob', mimeTypes: 'video/mpeg' },
  { kind: 'MPEG-TS video', extensions: 'm2t m2ts mts ts' },
  { kind: '3GP video', extensions: '3g2 3gp 3gpp', mimeTypes: 'video/3gpp video/3gpp2' },
  { kind: 'Ogg video', extensions: 'ogm ogv' },
  { kind: 'Flash video', extensions: 'f4v flv' },
  { kind: 'MXF video', extensions: 'mxf' },
  { kind: 'RealMedia video', extensions: 'rm rmvb' },
  // These are taken, but not with other bytes.
  { kind: 'picture', extensions: 'gif jfif jpe jpeg jpg png webp' },
  { kind: 'video', extensions: 'mov mp4 qt webm' },
]

const byExtension = kindsBy(({ extensions }) => extensions)
const byMimeType = kindsBy(({ mimeTypes = '' }) => mimeTypes)
/** The names of programs in TypeScript too. */
const ambiguous = new Set(['ts', 'mts'])

/**
 * What a file is that the service does not take; undefined if it is neither picture nor video.
 * @param mimeType by its first bytes; undefined if they do not tell
 */
export function otherMediaKind(path: string, mimeType: string | undefined, head: Uint8Array): string | undefined {
  const extension = extname(path).slice(1).toLowerCase()
  const named = ambiguous.has(extension) && mimeType?.startsWith('text/') ? undefined : byExtension.get(extension)
  const read = mimeType === undefined ? undefined : byMimeType.get(mimeType)
  if (named !== 'picture' && named !== 'video') return named ?? read
  if (read === undefined && isCut(head)) return `damaged ${named}`
  return read ?? isoVariety(head) ?? `unrecognised ${named}`
}

/** The smallest whole pictures have 26 bytes. Some copies that break off leave nothing but zeros. */
function isCut(head: Uint8Array): boolean {
  return head.length < 26 || head.every((byte) => byte === 0)
}

function kindsBy(words: (media: OtherMedia) => string): ReadonlyMap<string, string> {
  return new Map(
    otherMedia.flatMap((media) =>
      words(media)
        .split(' ')
        .map((word) => [word, media.kind] as const),
    ),
  )
}
