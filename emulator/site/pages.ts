import { endpoints, keyHeader, uploadField } from '../../src/protocol/endpoints.ts'
import { acceptedMediaType, type MediaType, mediaTypes } from '../../src/protocol/media-types.ts'
import type { HttpReply } from '../http-types.ts'
import type { UploadRecord } from '../storage/records.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { messages } from './messages.ts'
import { framedContent, pageReply, siteName } from './page.ts'
import { countText, dateText, sizeText } from './quantities.ts'

interface LandingPageOptions {
  readonly language: Language
  /** The origin under which the visitor sees the service. */
  readonly origin: string
  readonly maxFileSizeBytes: number
}

/** The landing page: what the service is and how to upload. */
export function landingPage({ language, origin, maxFileSizeBytes }: LandingPageOptions): HttpReply {
  const say = messages[language]
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const command = `curl -H "${keyHeader}: $FH_API_KEY" -F ${uploadField}=@photo.jpg ${origin}${endpoints.upload.path}`
  const content = html`<h2>${say.howToUpload}</h2>
<pre><code>${command}</code></pre>
<p class="soft">${say.keyNote}</p>
<h2>${say.accepted}</h2>
<p>${types}, ${say.upTo(sizeText(maxFileSizeBytes, language))}</p>`
  return pageReply({ language, title: siteName, content: framedContent(say.tagline, './', content) })
}

interface FilePageOptions {
  readonly language: Language
  /** An IANA name. */
  readonly timezone: string
}

/** The page of a file, at the upload's `url` (spec 2.1). */
export function filePage(upload: UploadRecord, { language, timezone }: FilePageOptions): HttpReply {
  const say = messages[language]
  const name = rawName(upload)
  const heading = upload.title ?? upload.slug
  const facts: readonly (readonly [string, string])[] = [
    [say.type, mediaTypeOf(upload)?.label ?? upload.mimeType],
    [say.size, sizeText(upload.sizeBytes, language)],
    [say.views, countText(upload.views, language)],
    [say.uploaded, dateText(upload.createdAt, language, timezone)],
  ]
  const content = html`<figure>${media(upload, { from: './', language })}</figure>
<dl>
${facts.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>\n`)}</dl>
<nav><a href="./${name}" download="${name}">${say.download}</a> <a href="../e/${upload.slug}">${say.embed}</a></nav>`
  return pageReply({ language, title: `${heading} · ${siteName}`, content: framedContent(heading, '../', content) })
}

/** The file alone, for frames on other sites. */
export function embedPage(upload: UploadRecord, language: Language): HttpReply {
  const content = media(upload, { from: '../i/', language })
  return pageReply({ language, title: upload.title ?? upload.slug, content, isEmbed: true })
}

/** Marks requests of a page for its own picture: the page view is already counted. */
export const previewParameter = 'preview'

interface MediaOptions {
  /** Where raw files are, relative to the page; a proxy may serve the site under any path. */
  readonly from: string
  readonly language: Language
}

function media(upload: UploadRecord, { from, language }: MediaOptions): Html {
  const say = messages[language]
  const source = `${from}${rawName(upload)}?${previewParameter}`
  if (!upload.mimeType.startsWith('video/')) {
    return html`<img src="${source}" alt="${upload.title ?? `${say.image} ${upload.slug}`}">`
  }
  const label = upload.title ?? `${say.video} ${upload.slug}`
  const poster = upload.thumbnail.state === 'ready' ? html` poster="../t/${upload.slug}"` : undefined
  return html`<video src="${source}" controls preload="metadata" aria-label="${label}"${poster}></video>`
}

function mediaTypeOf(upload: UploadRecord): MediaType | undefined {
  return acceptedMediaType(upload.mimeType)
}

/** The last part of an upload's `direct_url` (spec 2.1). */
export function rawName(upload: UploadRecord): string {
  const extension = mediaTypeOf(upload)?.extension
  return extension === undefined ? upload.slug : `${upload.slug}.${extension}`
}

export function notFoundPage(language: Language): HttpReply {
  const { notFound, notFoundExplained } = messages[language]
  return refusalPage(404, language, [notFound, notFoundExplained])
}

/** The site is read-only; files are changed through the API. */
export function methodNotAllowedPage(language: Language): HttpReply {
  const { methodNotAllowed, methodNotAllowedExplained } = messages[language]
  const reply = refusalPage(405, language, [methodNotAllowed, methodNotAllowedExplained])
  return { ...reply, headers: { ...reply.headers, Allow: 'GET, HEAD' } }
}

function refusalPage(status: number, language: Language, [heading, text]: readonly [string, string]): HttpReply {
  const content = framedContent(heading, '../', html`<p>${text}</p>`)
  return pageReply({ status, language, title: `${heading} · ${siteName}`, content })
}
