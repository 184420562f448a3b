import { hash } from 'node:crypto'
import type { HttpReply } from '../http-types.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'

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

/** Inside every page, so that a page is one request. */
const style = `
:root { color-scheme: light dark; --line: #d8dce2; --soft: #5b6472; --panel: #f4f6f8; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #a3acb9; --panel: #1f2328; --link: #8ab4f8 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 1.25rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--link) }
header a { font-weight: 600; letter-spacing: .01em; text-decoration: none; color: inherit }
h1 { margin: 1.5rem 0 1rem; font-size: 1.6rem; line-height: 1.25 }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem }
figure { margin: 0; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden }
figure img, figure video { display: block; margin: 0 auto; max-width: 100%; max-height: 75vh }
dl { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 1.25rem 0 }
dt { font-size: .85rem; color: var(--soft) }
dd { margin: 0 }
nav { display: flex; flex-wrap: wrap; gap: 1.25rem }
pre { margin: 0; padding: .9rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto; font: .9rem/1.5 ui-monospace, monospace }
.soft { color: var(--soft) }
body.embed { max-width: none; height: 100vh; padding: 0; background: #000 }
.embed img, .embed video { display: block; width: 100%; height: 100%; object-fit: contain }
`

/** The style sheet's source for the content security policy. */
const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`
