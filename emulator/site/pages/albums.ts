import type { HttpReply } from '../../http-types.ts'
import { maxAlbumName } from '../../service/albums.ts'
import type { AlbumRecord, UploadRecord } from '../../storage/record-types.ts'
import { basisField, basisOf } from '../forms/form-basis.ts'
import { type Html, html } from '../html/html.ts'
import type { ListPage } from '../list-page.ts'
import { placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'
import { fileBox, fileList, pager, thumbnailOf } from './file-list.ts'
import { formField, formFor, type RefusedText } from './form.ts'
import { sitePage } from './layout.ts'

/** The account's albums, with the form that makes another. */
export function albumsPage(
  visitor: Visitor,
  shown: ListPage<AlbumRecord>,
  coverOf: (album: AlbumRecord) => UploadRecord | undefined,
  name?: RefusedText,
): HttpReply {
  const { say, root } = visitor
  const fields = html`${nameField(visitor, name?.given ?? '', name?.problem)}
<button>${say.albums.make}</button>`
  const tile = (album: AlbumRecord) =>
    html`<li><a href="${root}${placePath('album', `${album.id}`)}">${thumbnailOf(root, coverOf(album))}<bdi>${album.name}</bdi></a> <small>${say.files.count(album.uploads.length)}</small>\n`
  const list = html`<ul class="files">
${shown.items.map(tile)}</ul>
${pager(visitor, shown, 'albums')}`
  const content = html`${formFor(visitor, { place: 'albums', className: 'card line' }, fields)}
${shown.total === 0 ? html`<p class="empty">${say.albums.none}</p>` : list}`
  return sitePage(visitor, {
    heading: say.layout.albums,
    content,
    place: 'albums',
    problem: name && { field: 'name', label: say.albums.name },
  })
}

/** What happened to a form of an album. */
export interface AlbumState {
  readonly notice?: Html
  /** Of the album. */
  readonly name?: RefusedText
}

/** One album: its files, and forms to change it. */
export function albumPage(
  visitor: Visitor,
  album: AlbumRecord,
  shown: ListPage<UploadRecord>,
  { notice, name }: AlbumState,
): HttpReply {
  const { say, root } = visitor
  const parameter = `${album.id}`
  const renaming = html`${nameField(visitor, name?.given ?? album.name, name?.problem)}
<button class="quiet">${say.albums.rename}</button>`
  const taking = html`${fileList(visitor, shown.items, (upload) => fileBox(visitor, upload))}
<p class="links"><button class="quiet">${say.albums.take}</button> <button class="quiet" name="all" value="yes">${say.albums.empty}</button></p>`
  const files = html`${formFor(visitor, { place: 'albumTake', parameter, className: 'wide' }, taking)}
${pager(visitor, shown, 'album', parameter)}`
  const content = html`<p class="row"><span class="soft">${say.files.count(album.uploads.length)}</span> <a class="button quiet" href="${root}${placePath('albumAdd', parameter)}">${say.albums.add}</a></p>
${album.uploads.length === 0 ? html`<p class="empty">${say.albums.isEmpty}</p>` : files}
<section class="card" aria-labelledby="change"><h2 id="change">${say.albums.change}</h2>
${formFor(visitor, { place: 'albumName', parameter, className: 'line', fields: { [basisField]: basisOf(album.name) } }, renaming)}
<p><a class="button quiet warn" href="${root}${placePath('albumRemove', parameter)}">${say.albums.remove}</a></p></section>`
  return sitePage(visitor, {
    heading: album.name,
    content,
    notice,
    problem: name && { field: 'name', label: say.albums.name },
  })
}

/** The account's files to choose for an album; those it has are marked. */
export function albumAddPage(visitor: Visitor, album: AlbumRecord, shown: ListPage<UploadRecord>): HttpReply {
  const { say, root } = visitor
  const parameter = `${album.id}`
  const inside = new Set(album.uploads)
  const box = (upload: UploadRecord) =>
    inside.has(upload.slug) ? html`<small>${say.albums.isInside}</small>` : fileBox(visitor, upload)
  const fields = html`${fileList(visitor, shown.items, box)}
<button>${say.albums.addChosen}</button>`
  const form = html`${formFor(visitor, { place: 'albumAdd', parameter, className: 'wide' }, fields)}
${pager(visitor, shown, 'albumAdd', parameter)}`
  const content = html`<p><a href="${root}${placePath('album', parameter)}">${say.albums.back}</a></p>
${shown.total === 0 ? html`<p class="empty">${say.files.none}</p>` : form}`
  return sitePage(visitor, { heading: say.albums.addTo(album.name), content })
}

function nameField({ say }: Visitor, value: string, problem: string | undefined): Html {
  return formField({ name: 'name', label: say.albums.name, value, maxLength: maxAlbumName, problem })
}
