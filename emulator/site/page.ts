import { hash } from 'node:crypto'
import type { HttpReply } from '../http-types.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import style from './site.css?text'

export const siteName = 'filehost'

export interface Page {
  readonly status?: number
  readonly language: Language
  readonly title: string
  /** The content of `body`. */
  readonly content: Html
  /** Other sites may frame the page; it has only the file. */
  readonly isEmbed?: boolean
}

/**
 * An HTML reply. The page loads only files of this site, runs no scripts and, unless it is an embed page, cannot be
 * framed.
 */
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

/** Page content with the site's name and a heading. */
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

/** The stylesheet's source for the content security policy: it is inside every page. */
const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`
