import type { HttpResponse } from '../../http.ts'
import { maxTitle } from '../../service/uploads.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { previewParameter, rawName } from '../files/raw-name.ts'
import { type Html, html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import { countText, dateText, sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { hasThumbnail, labelOfType, titleOrSlug } from './file-list.ts'
import { formField, formFor, type RefusedText } from './form.ts'
import { siteDocument, sitePage } from './layout.ts'
import { linkSection } from './links.ts'

/** The page of a file, at the upload's `url` (spec 2.1). @param title one that is not saved */
export function filePage(visitor: Visitor, upload: UploadRecord, title?: RefusedText): HttpResponse {
  const { say, language, timezone, root } = visitor
  const name = rawName(upload)
  const facts: readonly (readonly [string, string])[] = [
    [say.file.type, labelOfType(upload)],
    [say.file.size, sizeText(upload.sizeBytes, language)],
    [say.file.views, countText(upload.views, language)],
    [say.file.likes, countText(upload.likes, language)],
    [say.file.uploaded, dateText(upload.createdAt, language, timezone)],
  ]
  const content = html`<figure>${media(visitor, upload)}</figure>
<div class="row about"><dl>
${facts.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>\n`)}</dl>
<div class="row"><a class="button quiet" href="${root}i/${name}" download="${name}">${say.file.download}</a> <a class="button quiet" href="${root}${placePath('embed', upload.slug)}">${say.file.embed}</a></div></div>
<div class="columns">${linkSection(visitor, upload)}
${visitor.session?.accountId === upload.accountId && ownerPart(visitor, upload, title)}</div>`
  return sitePage(visitor, {
    heading: titleOrSlug(upload),
    content,
    problem: title && { field: 'title', label: say.file.title },
    script: 'copy.js',
  })
}

function ownerPart(visitor: Visitor, upload: UploadRecord, title: RefusedText | undefined): Html {
  const { file } = visitor.say
  const value = title?.given ?? upload.title ?? ''
  const fields = html`${formField({ name: 'title', label: file.title, value, isRequired: false, maxLength: maxTitle, problem: title?.problem })}
<button>${file.saveTitle}</button>`
  return html`<section class="card" aria-labelledby="yours"><h2 id="yours">${file.yours}</h2>
${formFor(visitor, { place: 'fileTitle', parameter: upload.slug, className: 'line' }, fields)}
<p><a class="button quiet warn" href="${visitor.root}${placePath('fileDelete', upload.slug)}">${file.delete}</a></p></section>`
}

/** The file alone, for frames on other sites. */
export function embedPage(visitor: Visitor, upload: UploadRecord): HttpResponse {
  const title = titleOrSlug(upload)
  const content = html`<main>
<h1>${title}</h1>
${media(visitor, upload)}
</main>`
  return siteDocument(visitor, { title, isEmbed: true, content })
}

/** The picture, or the player of a video. Its own request counts no view: the page's is counted. */
function media({ say, root }: Visitor, upload: UploadRecord): Html {
  const { slug, title, mimeType } = upload
  const source = `${root}i/${rawName(upload)}?${previewParameter}`
  if (!mimeType.startsWith('video/')) {
    return html`<img src="${source}" alt="${title ?? `${say.file.image} ${slug}`}">`
  }
  const label = title ?? `${say.file.video} ${slug}`
  const poster = hasThumbnail(upload) && html` poster="${root}t/${slug}"`
  return html`<video src="${source}" controls preload="metadata" aria-label="${label}"${poster}></video>`
}
