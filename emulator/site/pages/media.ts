import type { UploadRecord } from '../../storage/records.ts'
import { previewParameter, rawName } from '../files/raw-name.ts'
import { type Html, html } from '../html/html.ts'
import type { Visitor } from '../visitor.ts'

/** The picture, or the player of a video. Its own request counts no view: the page's is counted. */
export function media({ say, root }: Visitor, upload: UploadRecord): Html {
  const { slug, title, mimeType, thumbnail } = upload
  const source = `${root}i/${rawName(upload)}?${previewParameter}`
  if (!mimeType.startsWith('video/')) {
    return html`<img src="${source}" alt="${title ?? `${say.file.image} ${slug}`}">`
  }
  const label = title ?? `${say.file.video} ${slug}`
  const poster = thumbnail.state === 'ready' && html` poster="${root}t/${slug}"`
  return html`<video src="${source}" controls preload="metadata" aria-label="${label}"${poster}></video>`
}
