import { acceptedMediaType } from './media-types.ts'
import type { Upload } from './resources.ts'

/** How a link to an upload is written, for people to paste. */
export const linkFormats = ['url', 'direct', 'slug', 'markdown', 'html', 'bbcode'] as const

export type LinkFormat = (typeof linkFormats)[number]

/** An upload as far as its links show it. */
export type LinkedUpload = Pick<Upload, 'slug' | 'url' | 'direct_url' | 'mime_type'>

/** The text to paste for an upload. @param name what it is called; the path of a URL may end without one */
export function uploadLink(upload: LinkedUpload, format: LinkFormat, name: string): string {
  const { slug, url: page, direct_url: direct, mime_type: mimeType } = upload
  const isVideo = mimeType.startsWith('video/')
  const label = name || `upload.${acceptedMediaType(mimeType)?.extension ?? 'bin'}`
  switch (format) {
    case 'url':
      return page
    case 'direct':
      return direct
    case 'slug':
      return slug
    case 'markdown':
      return `${isVideo ? '' : '!'}[${escapeMarkdown(label)}](${encodeMarks(isVideo ? page : direct)})`
    case 'html':
      return isVideo
        ? `<video src="${escapeHtml(direct)}" controls></video>`
        : `<img src="${escapeHtml(direct)}" alt="${escapeHtml(label)}">`
    case 'bbcode':
      return isVideo
        ? `[url=${encodeMarks(page)}]${label.replace(/[[\]]/g, '')}[/url]`
        : `[img]${encodeMarks(direct)}[/img]`
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
