import type { Upload } from '../index.ts'
import { unreachable } from './cli-error.ts'
import { printable } from './format.ts'

export const linkFormats = ['url', 'direct', 'slug', 'markdown', 'html', 'bbcode'] as const

export type LinkFormat = (typeof linkFormats)[number]

/** An upload as the text a person pastes elsewhere; `name` is what it was called on this side. */
export function formatLink(upload: Upload, format: LinkFormat, name: string): string {
  const video = upload.mime_type.startsWith('video/')
  const page = printable(upload.url)
  const direct = printable(upload.direct_url)
  const label = printable(name)
  switch (format) {
    case 'url':
      return page
    case 'direct':
      return direct
    case 'slug':
      return printable(upload.slug)
    case 'markdown':
      return `${video ? '' : '!'}[${label.replace(/[[\]\\]/g, '\\$&')}](${video ? page : direct})`
    case 'html':
      return video
        ? `<video src="${escapeHtml(direct)}" controls></video>`
        : `<img src="${escapeHtml(direct)}" alt="${escapeHtml(label)}">`
    case 'bbcode':
      return video ? `[url=${page}]${label.replace(/[[\]]/g, '')}[/url]` : `[img]${direct}[/img]`
    default:
      return unreachable(format)
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
