import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { html } from '../html/html.ts'
import type { Visitor } from '../visitor.ts'
import { fileList } from './file-list.ts'
import { sitePage } from './layout.ts'

/** Everyone's latest files. */
export function feedPage(visitor: Visitor, uploads: readonly UploadRecord[]): HttpReply {
  const { feed } = visitor.say
  const content =
    uploads.length === 0
      ? html`<p>${feed.none}</p>`
      : html`<p class="soft">${feed.explained}</p>
${fileList(visitor, uploads)}`
  return sitePage(visitor, { heading: feed.heading, content, place: 'feed' })
}
