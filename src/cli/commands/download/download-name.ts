import type { Upload } from '../../../index.ts'

/** Windows reserves these names for devices, with any extension. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * The file name for an upload: its slug with the extension of its raw file. It is never a path, a hidden file or a flag,
 * even if the slug or the address that the service sends would be one.
 */
export function downloadName({
  slug,
  direct_url,
  mime_type,
}: Pick<Upload, 'slug' | 'direct_url' | 'mime_type'>): string {
  const plain = slug
    .replace(/[^\w.-]/g, '_')
    .replace(/^[.-]/, '_')
    .slice(0, 150)
    .replace(/\.$/, '_')
  const stem = deviceNames.test(plain.replace(/\..*$/, '')) ? `_${plain}` : plain || '_'
  const extension = extensionOf(direct_url) ?? usualExtensions.get(mime_type)
  const name = extension === undefined ? stem : `${stem}.${extension}`
  // The name of a part file (FILE.part) would clash with another download.
  return name.replace(/\.part(\.json)?$/i, '_part$1')
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
