import { placeholderThumbnail } from '../../service/thumbnails.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { mediaTypeOf } from '../files/raw-name.ts'
import { type Html, html } from '../html/html.ts'
import type { ListPage } from '../list-page.ts'
import { dayText, sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'

/** Files as small pictures with their titles; kept short, because a page has 50. */
export function fileList(visitor: Visitor, uploads: readonly UploadRecord[]): Html {
  return html`<ul class="files">
${uploads.map((upload) => html`<li>${fileCard(visitor, upload)}\n`)}</ul>`
}

function fileCard({ say, language, root, timezone }: Visitor, upload: UploadRecord): Html {
  const { slug, title, name = slug, sizeBytes, views, likes, createdAt } = upload
  const facts = [
    `${labelOfType(upload)}, ${sizeText(sizeBytes, language)}`,
    views > 0 && say.files.views(views),
    likes > 0 && say.files.likes(likes),
    dayText(createdAt, language, timezone),
  ].filter((fact) => fact !== false)
  return html`<a href="${root}i/${slug}">${thumbnailOf(root, upload)}<bdi>${title ?? name}</bdi></a><small>${facts.map((fact) => html`<span>${fact}</span> `)}</small>`
}

/** The small picture of a file, with a mark if it is a video; the name of its type where there is none. */
function thumbnailOf(root: string, upload: UploadRecord): Html {
  const picture = hasThumbnail(upload) && html`<img src="${root}t/${upload.slug}" alt="" loading="lazy">`
  return html`<span${upload.mimeType.startsWith('video/') && html` class="video"`}>${picture || labelOfType(upload)}</span>`
}

/** Whether its thumbnail shows something of the file: the grey picture does not. */
export function hasThumbnail({ thumbnail }: UploadRecord): boolean {
  return thumbnail.state === 'ready' && thumbnail.sizeBytes !== placeholderThumbnail.length
}

export function labelOfType(upload: UploadRecord): string {
  return mediaTypeOf(upload)?.label ?? upload.mimeType
}

export function titleOrSlug({ title, slug }: UploadRecord): string {
  return title ?? slug
}

/** Links to the pages before and after this one; nothing if there is only one. */
export function pager({ say, root }: Visitor, { page, lastPage }: ListPage): Html | undefined {
  if (lastPage === 1) return undefined
  const link = (to: number, label: string, rel: string) =>
    to >= 1 && to <= lastPage && html`<a rel="${rel}" href="${root}?page=${to}" class="button quiet">${label}</a>\n`
  return html`<nav class="links" aria-label="${say.files.pages}">
${link(page - 1, say.files.previous, 'prev')}<span>${say.files.pageOf(page, lastPage)}</span>
${link(page + 1, say.files.next, 'next')}</nav>`
}
