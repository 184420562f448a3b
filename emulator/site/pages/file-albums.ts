import type { AlbumRecord, UploadRecord } from '../../storage/records.ts'
import { type Html, html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'
import { formFor } from './form.ts'

/** The most albums of each kind that the page of a file lists; the album's own page adds files to any. */
const mostListed = 100

/** The albums that an upload is in, each with a button that takes it out, and a form that adds it to another. */
export function fileAlbums(visitor: Visitor, { slug }: UploadRecord, albums: readonly AlbumRecord[]): Html {
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
