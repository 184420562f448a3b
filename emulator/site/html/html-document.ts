import type { HttpReply } from '../../http-types.ts'
import { assetPath } from '../assets.ts'
import { type Html, html } from './html.ts'

export const siteName = 'filehost'

/** A whole page, with the names of its assets. */
export interface HtmlDocument<AssetName extends string = SiteAsset> {
  /** 200 by default. */
  readonly status?: number
  /** Of the page's texts, as in `lang`. */
  readonly language: string
  readonly title: string
  /** The address of the site's home, relative to the page: a proxy may serve the site under any path. */
  readonly root: string
  readonly stylesheet: AssetName
  readonly scripts?: readonly AssetName[]
  readonly content: Html
  /** Other sites may frame the page. */
  readonly isEmbed?: boolean
  /** The page shows something of a session: no cache keeps it. */
  readonly isPersonal?: boolean
}

type SiteAsset = Parameters<typeof assetPath>[0]

/** A page of the site. See {@link documentWith}. */
export function documentReply(page: HtmlDocument): HttpReply {
  return documentWith(page, assetPath)
}

/**
 * An HTML reply. The page loads only files of this origin, runs no inline script or style, sends its forms only here
 * and, unless it is an embed page, cannot be framed.
 * @param path the address of an asset, relative to the page's root
 */
export function documentWith<AssetName extends string>(
  page: HtmlDocument<AssetName | 'icon.svg'>,
  path: (name: AssetName | 'icon.svg') => string,
): HttpReply {
  const { status = 200, language, title, root, stylesheet, scripts = [], content, isEmbed = false } = page
  const markup = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${root}${path('icon.svg')}">
<link rel="stylesheet" href="${root}${path(stylesheet)}">
${scripts.map((script) => html`<script type="module" src="${root}${path(script)}"></script>\n`)}</head>
<body${isEmbed && html` class="embed"`}>
${content}
</body>
</html>
`
  return { status, headers: documentHeaders(page), body: markup.toString() }
}

function documentHeaders({
  language,
  isEmbed = false,
  isPersonal = false,
}: Omit<HtmlDocument<string>, 'content'>): HttpReply['headers'] {
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
