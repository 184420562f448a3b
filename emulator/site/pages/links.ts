import { type LinkFormat, uploadLink } from '../../../src/protocol/upload-links.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { rawName } from '../files/raw-name.ts'
import { type Html, html } from '../html/html.ts'
import { placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'

/** The links that people paste elsewhere, by the words of `fh upload --format`. */
const sharedFormats = ['url', 'direct', 'markdown', 'html', 'bbcode'] as const satisfies readonly LinkFormat[]

/** Texts to copy into other programs and pages. */
export function linkSection(visitor: Visitor, upload: UploadRecord): Html {
  const { home, say } = visitor
  const { file, links } = say
  const { slug, title, mimeType: mime_type } = upload
  const raw = rawName(upload)
  const linked = { slug, url: `${home}/i/${slug}`, direct_url: `${home}/i/${raw}`, mime_type }
  const labels = { url: links.page, direct: links.direct, markdown: 'Markdown', html: 'HTML', bbcode: 'BBCode' }
  const frame = html`<iframe src="${home}/${placePath('embed', slug)}" title="${title ?? slug}" width="640" height="360" allowfullscreen></iframe>`
  const rows = [
    ...sharedFormats.map((id) => ({ id, label: labels[id], text: uploadLink(linked, id, title ?? raw) })),
    { id: 'embed', label: file.embedCode, text: frame.toString() },
  ]
  return html`<section class="card" aria-labelledby="links"><h2 id="links">${links.heading}</h2>
<ul class="copies">
${rows.map(({ id, label, text }) => html`<li><span>${label}</span> <code id="link-${id}">${text}</code> ${copyOf(visitor, `link-${id}`, `${links.copy}: ${label}`)}\n`)}</ul></section>`
}

/** A button, for browsers with scripts, that copies the text of an element. @param name what people hear of it */
export function copyOf({ say: { links } }: Visitor, id: string, name?: string, mark: Html | string = links.copy): Html {
  return html`<button type="button" class="quiet" data-copy="${id}" data-copied="${links.copied}" aria-live="polite"${name !== undefined && html` aria-label="${name}"`} hidden>${mark}</button>`
}

/** Two sheets: for a button whose name says what it copies. */
export const copyMark = html`<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3"/></svg>`
