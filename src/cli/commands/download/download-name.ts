import type { Upload } from '../../../index.ts'
import { controls } from '../../format/format.ts'

/** Windows reserves these names for devices, with any extension. */
const deviceNames = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]) *$/i
/** File systems allow 255 bytes; the extension, a slug and the name of a part file need the rest. */
const LONGEST_BYTES = 150

/**
 * A safe file name for an upload: its name, or else its slug, with the extension of its raw file. The service and the
 * record may hold any text, but the name is never a path, a hidden file or a flag, and may stand on every system.
 * @param mark distinguishes uploads of one name
 */
export function downloadName(
  { slug, direct_url, mime_type }: Pick<Upload, 'slug' | 'direct_url' | 'mime_type'>,
  name: string | null = null,
  mark = '',
): string {
  const extension = extensionOf(direct_url) ?? usualExtensions.get(mime_type)
  const [stem, ending] = name === null ? [slug, extension] : splitEnding(name, extension)
  const plain = safe(stem)
  const marked = `${deviceNames.test(plain.replace(/\..*$/, '')) ? `_${plain}` : plain || '_'}${mark && `-${safe(mark)}`}`
  const whole = ending === undefined ? marked.replace(/[. ]$/, '_') : `${marked}.${ending}`
  // The name of a part file (FILE.part), its note or its lock would clash with another download.
  return whole.replace(/\.part(\.json|\.lock)?$/i, '_part$1')
}

/** Without separators, what controls a terminal or hides text, what is no character, and what Windows forbids. */
function safe(text: string): string {
  const plain = text
    .replace(controls, '_')
    .replace(/[/\\:*?"<>|\p{Cs}\p{Cn}]/gu, '_')
    .replace(/^[.-]/, '_')
  return cut(plain)
}

/** Cuts between characters. */
function cut(text: string): string {
  let [end, bytes] = [0, 0]
  for (const character of text.slice(0, LONGEST_BYTES)) {
    bytes += Buffer.byteLength(character)
    if (bytes > LONGEST_BYTES) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The stem and the ending of the file: a name often has the raw file's extension already, perhaps in another spelling. */
function splitEnding(name: string, extension: string | undefined): readonly [string, string | undefined] {
  const own = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]
  const isSame = own !== undefined && extension !== undefined && spelling(own) === spelling(extension)
  return isSame ? [name.slice(0, -own.length - 1), own] : [name, extension]
}

function spelling(extension: string): string {
  return extension.toLowerCase().replace(/^jpe$|^jpeg$|^jfif$/, 'jpg')
}

function extensionOf(url: string): string | undefined {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return /[^/]\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase()
}

const usualExtensions: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
])
