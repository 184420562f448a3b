import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { mediaTypeOf, rawName } from '../files/raw-name.ts'
import { documentReply } from '../html/document.ts'
import { html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import { countText, dateText, sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { sitePage } from './layout.ts'
import { media } from './media.ts'

/** The page of a file, at the upload's `url` (spec 2.1). */
export function filePage(visitor: Visitor, upload: UploadRecord): HttpReply {
  const { say, language, timezone, root } = visitor
  const name = rawName(upload)
  const facts: readonly (readonly [string, string])[] = [
    [say.file.type, mediaTypeOf(upload)?.label ?? upload.mimeType],
    [say.file.size, sizeText(upload.sizeBytes, language)],
    [say.file.views, countText(upload.views, language)],
    [say.file.likes, countText(upload.likes, language)],
    [say.file.uploaded, dateText(upload.createdAt, language, timezone)],
  ]
  const content = html`<figure>${media(visitor, upload)}</figure>
<dl>
${facts.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>\n`)}</dl>
<p class="links"><a href="${root}i/${name}" download="${name}">${say.file.download}</a> <a href="${root}${placePath('embed', upload.slug)}">${say.file.embed}</a></p>`
  return sitePage(visitor, { heading: upload.title ?? upload.slug, content })
}

/** The file alone, for frames on other sites. */
export function embedPage(visitor: Visitor, upload: UploadRecord): HttpReply {
  const { language, root } = visitor
  const title = upload.title ?? upload.slug
  return documentReply({
    language,
    root,
    title,
    stylesheet: 'site.css',
    isEmbed: true,
    content: html`<main>
<h1>${title}</h1>
${media(visitor, upload)}
</main>`,
  })
}
