import type { Upload } from '../../../../index.ts'
import { type LinkFormat, uploadLink } from '../../../../protocol/upload-links.ts'
import { printable } from '../../../format/format.ts'

/** The text to paste for an upload. @param name the local file name */
export function formatLink(upload: Upload, format: LinkFormat, name: string): string {
  const { slug, url, direct_url, mime_type } = upload
  const shown = { slug: printable(slug), url: printable(url), direct_url: printable(direct_url), mime_type }
  return uploadLink(shown, format, printable(name))
}
