import type { HttpResponse } from '../../http.ts'
import { type Html, html } from './html.ts'

export const siteName = 'filehost'

/** A whole page. The addresses of its files are relative: a proxy may serve the site under any path. */
export interface HtmlDocument {
  /** 200 by default. */
  readonly status?: number
  /** Of the page's texts, as in `lang`. */
  readonly language: string
  readonly title: string
  readonly icon: string
  readonly stylesheet: string
  readonly scripts?: readonly string[]
  readonly content: Html
  /** Other sites may frame the page. */
  readonly isEmbed?: boolean
  /** The page shows something of a session: no cache keeps it. */
  readonly isPersonal?: boolean
}

/**
 * An HTML reply. The page loads only files of this origin, runs no inline script or style, sends its forms only here
 * and, unless it is an embed page, cannot be framed.
 */
export function documentReply(page: HtmlDocument): HttpResponse {
  const { status = 200, language, title, icon, stylesheet, scripts = [], content, isEmbed = false } = page
  const markup = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${stylesheet}">
${scripts.map((script) => html`<script type="module" src="${script}"></script>\n`)}</head>
<body${isEmbed && html` class="embed"`}>
${content}
</body>
</html>
`
  return { status, headers: documentHeaders(page), body: markup.toString() }
}

function documentHeaders({ language, isEmbed = false, isPersonal = false }: HtmlDocument): HttpResponse['headers'] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isEmbed ? '*' : "'none'"}`,
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    // With `no-referrer`, browsers send `Origin: null` with the site's own forms.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': isPersonal ? 'no-store' : 'no-cache',
    Vary: 'Accept-Language, Cookie',
  }
}
