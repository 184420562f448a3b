import type { HttpReply } from '../../http-types.ts'
import { maxTitle } from '../../service/upload-edits.ts'
import type { AlbumRecord, UploadRecord } from '../../storage/records.ts'
import { mediaTypeOf, rawName } from '../files/raw-name.ts'
import { basisField, basisOf } from '../forms/form-basis.ts'
import { type Html, html } from '../html/html.ts'
import { documentReply } from '../html/html-document.ts'
import { placePath } from '../site-routes.ts'
import { countText, dateText, sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { fileAlbums } from './file-albums.ts'
import { titleOrSlug } from './file-list.ts'
import { formField, formFor } from './form.ts'
import { sitePage } from './layout.ts'
import { likeForm } from './like.ts'
import { linkSection } from './links.ts'
import { media } from './media.ts'

/** What the page of a file shows besides it. */
export interface FileState {
  readonly notice?: Html
  /** A title that is not saved. */
  readonly title?: { readonly given: string; readonly problem: string }
  /** The albums of the account, if the visitor is the owner. */
  readonly albums?: readonly AlbumRecord[]
}

/** The page of a file, at the upload's `url` (spec 2.1). */
export function filePage(visitor: Visitor, upload: UploadRecord, { notice, title, albums }: FileState): HttpReply {
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
<div class="columns"><section class="card" aria-label="${say.file.about}">
<dl>
${facts.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>\n`)}</dl>
<div class="row">${visitor.session !== undefined && likeForm(visitor, upload, visitor.session.accountId)}<a class="button quiet" href="${root}i/${name}" download="${name}">${say.file.download}</a> <a href="${root}${placePath('embed', upload.slug)}">${say.file.embed}</a></div>
</section>
${linkSection(visitor, upload)}</div>
${albums !== undefined && ownerPart(visitor, upload, albums, title)}`
  return sitePage(visitor, {
    heading: titleOrSlug(upload),
    content,
    notice,
    problem: title && { field: 'title', label: say.file.title },
    scripts: ['copy.js'],
  })
}

function ownerPart(
  visitor: Visitor,
  upload: UploadRecord,
  albums: readonly AlbumRecord[],
  title: FileState['title'],
): Html {
  const { file } = visitor.say
  const value = title?.given ?? upload.title ?? ''
  const fields = html`${formField({ name: 'title', label: file.title, value, isRequired: false, maxLength: maxTitle, problem: title?.problem })}
<button>${file.saveTitle}</button>`
  return html`<section class="card" aria-labelledby="yours"><h2 id="yours">${file.yours}</h2>
${formFor(visitor, { place: 'fileTitle', parameter: upload.slug, fields: { [basisField]: basisOf(upload.title ?? '') } }, fields)}
${fileAlbums(visitor, upload, albums)}
<p><a class="warn" href="${visitor.root}${placePath('fileDelete', upload.slug)}">${file.delete}</a></p></section>`
}

/** The file alone, for frames on other sites. */
export function embedPage(visitor: Visitor, upload: UploadRecord): HttpReply {
  const { language, root } = visitor
  const title = titleOrSlug(upload)
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
