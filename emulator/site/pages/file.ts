import type { HttpReply } from '../../http-types.ts'
import { isLikedBy, maxTitle } from '../../service/upload-edits.ts'
import type { AlbumRecord, UploadRecord } from '../../storage/record-types.ts'
import { previewParameter, rawName } from '../files/raw-name.ts'
import { basisField, basisOf } from '../forms/form-basis.ts'
import { type Html, html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import { countText, dateText, sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { hasThumbnail, labelOfType, titleOrSlug } from './file-list.ts'
import { formField, formFor, type RefusedText } from './form.ts'
import { siteDocument, sitePage } from './layout.ts'
import { linkSection } from './links.ts'

export interface FileState {
  readonly notice?: Html
  /** A title that is not saved. */
  readonly title?: RefusedText
  /** The albums of the account, if the visitor is the owner. */
  readonly albums?: readonly AlbumRecord[]
}

/** The page of a file, at the upload's `url` (spec 2.1). */
export function filePage(visitor: Visitor, upload: UploadRecord, { notice, title, albums }: FileState): HttpReply {
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
<div class="row">${visitor.session !== undefined && likeForm(visitor, upload, visitor.session.accountId)}<a class="button quiet" href="${root}i/${name}" download="${name}">${say.file.download}</a> <a class="button quiet" href="${root}${placePath('embed', upload.slug)}">${say.file.embed}</a></div></div>
<div class="columns">${linkSection(visitor, upload)}
${albums !== undefined && ownerPart(visitor, upload, albums, title)}</div>`
  return sitePage(visitor, {
    heading: titleOrSlug(upload),
    content,
    notice,
    problem: title && { field: 'title', label: say.file.title },
    script: 'copy.js',
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
${formFor(visitor, { place: 'fileTitle', parameter: upload.slug, className: 'line', fields: { [basisField]: basisOf(upload.title ?? '') } }, fields)}
${fileAlbums(visitor, upload, albums)}
<p><a class="button quiet warn" href="${visitor.root}${placePath('fileDelete', upload.slug)}">${file.delete}</a></p></section>`
}

/** The most albums of each kind that the page of a file lists; the album's own page adds files to any. */
const mostListed = 100

/** The albums that an upload is in, each with a button that takes it out, and a form that adds it to another. */
function fileAlbums(visitor: Visitor, { slug }: UploadRecord, albums: readonly AlbumRecord[]): Html {
  const { say, root } = visitor
  const isIn = ({ uploads }: AlbumRecord) => uploads.includes(slug)
  const inside = albums.filter(isIn).slice(0, mostListed)
  const others = albums.filter((album) => !isIn(album)).slice(-mostListed)
  const target = { place: 'fileAlbum', parameter: slug, className: 'row' } as const
  const row = ({ id, name }: AlbumRecord) => {
    const button = html`<button class="quiet" aria-label="${say.file.takeFrom(name)}">${say.file.takeOut}</button>`
    const form = formFor(visitor, { ...target, fields: { album: `${id}`, do: 'take' } }, button)
    return html`<li><a href="${root}${placePath('album', `${id}`)}"><bdi>${name}</bdi></a> ${form}\n`
  }
  const options = others.map(({ id, name }) => html`<option value="${id}">${name}</option>\n`)
  const adding = html`<label for="album">${say.file.addToAlbum}</label>
<select id="album" name="album">
${options}</select>
<button class="quiet">${say.file.add}</button>`
  return html`<h3>${say.layout.albums}</h3>
${inside.length > 0 && html`<ul class="rows">\n${inside.map(row)}</ul>`}
${others.length > 0 && formFor(visitor, { ...target, fields: { do: 'add' } }, adding)}
${albums.length === 0 && html`<p><a href="${root}${placePath('albums')}">${say.albums.makeFirst}</a></p>`}`
}

function likeForm(visitor: Visitor, upload: UploadRecord, accountId: number): Html {
  const { file } = visitor.say
  const isLiked = isLikedBy(upload, accountId)
  const fields = { like: isLiked ? 'no' : 'yes' }
  const button = html`<button class="quiet" id="like">${isLiked ? file.unlike : file.like}</button>`
  return formFor(visitor, { place: 'fileLike', parameter: upload.slug, className: 'row', fields }, button)
}

/** The file alone, for frames on other sites. */
export function embedPage(visitor: Visitor, upload: UploadRecord): HttpReply {
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
