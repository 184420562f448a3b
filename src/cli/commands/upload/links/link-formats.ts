import type { Upload } from '../../../../index.ts'
import { acceptedMediaType } from '../../../../protocol/media-types.ts'
import { unreachable } from '../../../failures/cli-error.ts'
import { printable } from '../../../format/format.ts'

export const linkFormats = ['url', 'direct', 'slug', 'markdown', 'html', 'bbcode'] as const

export type LinkFormat = (typeof linkFormats)[number]

/** The text to paste for an upload. @param name the local file name */
export function formatLink(upload: Upload, format: LinkFormat, name: string): string {
  const video = upload.mime_type.startsWith('video/')
  const page = printable(upload.url)
  const direct = printable(upload.direct_url)
  // The path of a URL may end without a name.
  const label = printable(name || `upload.${acceptedMediaType(upload.mime_type)?.extension ?? 'bin'}`)
  switch (format) {
    case 'url':
      return page
    case 'direct':
      return direct
    case 'slug':
      return printable(upload.slug)
    case 'markdown':
      return `${video ? '' : '!'}[${escapeMarkdown(label)}](${encodeMarks(video ? page : direct)})`
    case 'html':
      return video
        ? `<video src="${escapeHtml(direct)}" controls></video>`
        : `<img src="${escapeHtml(direct)}" alt="${escapeHtml(label)}">`
    case 'bbcode':
      return video
        ? `[url=${encodeMarks(page)}]${label.replace(/[[\]]/g, '')}[/url]`
        : `[img]${encodeMarks(direct)}[/img]`
    default:
      return unreachable(format)
  }
}

/** Escapes brackets, and also code and HTML, which bind tighter, and the bar that ends a table cell. */
function escapeMarkdown(text: string): string {
  // Underscores within a word, frequent in file names, have no meaning in Markdown.
  return text.replace(/[[\]\\`*<>&|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
}

/** Percent-encodes the characters in an address that would end the surrounding markup. */
function encodeMarks(address: string): string {
  return address.replace(
    /[()[\]<>"'\\ ]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
