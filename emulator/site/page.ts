import type { HttpReply } from '../http-types.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { style, styleSource } from './style.ts'

export const siteName = 'filehost'

export interface Page {
  readonly status?: number
  readonly language: Language
  readonly title: string
  /** What stands inside `body`. */
  readonly content: Html
  /** Shown in the frames of other sites, with nothing around the file. */
  readonly isEmbed?: boolean
}

/** A page as it is sent: it loads files of this site and nothing else, runs nothing, and is shown in no one's frame. */
export function pageReply({ status = 200, language, title, content, isEmbed = false }: Page): HttpReply {
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body${isEmbed ? html` class="embed"` : undefined}>
${content}
</body>
</html>
`
  return { status, headers: { ...pageHeaders(isEmbed), 'Content-Language': language }, body: markup }
}

/** A page with the site's name above and a heading of its own. */
export function framedContent(heading: string, home: string, content: Html): Html {
  return html`<header><a href="${home}">${siteName}</a></header>
<main>
<h1>${heading}</h1>
${content}
</main>`
}

function pageHeaders(isEmbed: boolean): HttpReply['headers'] {
  const policy = [
    "default-src 'none'",
    "img-src 'self' data:",
    "media-src 'self'",
    `style-src ${styleSource}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${isEmbed ? '*' : "'none'"}`,
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Language',
  }
}
