import type { HttpReply } from '../../http-types.ts'
import { maxAlbumName } from '../../service/albums.ts'
import type { AlbumRecord } from '../../storage/records.ts'
import { type Html, html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'
import { pager } from './file-list.ts'
import { formField, formFor } from './form.ts'
import { sitePage } from './layout.ts'

interface AlbumsPage {
  /** A name that was refused. */
  readonly name?: { readonly given: string; readonly problem: string }
  readonly items: readonly AlbumRecord[]
  readonly total: number
  readonly page: number
  readonly lastPage: number
}

/** The account's albums, with the form that makes another. */
export function albumsPage(visitor: Visitor, shown: AlbumsPage): HttpReply {
  const { say, root } = visitor
  const { name, items, total, page, lastPage } = shown
  const fields = html`${nameField(visitor, name?.given ?? '', name?.problem)}
<button>${say.albums.make}</button>`
  const row = ({ id, name: text, uploads }: AlbumRecord) =>
    html`<li><a href="${root}${placePath('album', `${id}`)}"><bdi>${text}</bdi></a> <small>${say.files.count(uploads.length)}</small>\n`
  const list = html`<ul class="rows">
${items.map(row)}</ul>
${pager(visitor, { place: 'albums', page, lastPage })}`
  const content = html`${formFor(visitor, { place: 'albums', className: 'card line' }, fields)}
${total === 0 ? html`<p>${say.albums.none}</p>` : list}`
  return sitePage(visitor, {
    heading: say.layout.albums,
    content,
    place: 'albums',
    problem: name && { field: 'name', label: say.albums.name },
  })
}

export function nameField({ say }: Visitor, value: string, problem: string | undefined): Html {
  return formField({ name: 'name', label: say.albums.name, value, maxLength: maxAlbumName, problem })
}
