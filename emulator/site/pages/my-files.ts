import { mediaTypes } from '../../../src/protocol/media-types.ts'
import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { filesField, mostFiles } from '../forms/file-form.ts'
import { type Html, html } from '../html/html.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { fileList, pager } from './file-list.ts'
import { formFor } from './form.ts'
import { sitePage } from './layout.ts'
import { labelOf, sharedFormats } from './links.ts'

interface MyFiles {
  readonly uploads: readonly UploadRecord[]
  readonly total: number
  readonly page: number
  readonly lastPage: number
  readonly maxFileSizeBytes: number
}

/** The account's own files, with the form to upload others. */
export function filesPage(visitor: Visitor, { maxFileSizeBytes, ...shown }: MyFiles): HttpReply {
  const { files } = visitor.say
  const { uploads, total, page, lastPage } = shown
  const list = html`<p class="soft">${files.count(total)}</p>
${fileList(visitor, uploads)}
${pager(visitor, { place: 'landing', page, lastPage })}`
  const content = html`${uploadForm(visitor, maxFileSizeBytes)}
<div id="list">
${total === 0 ? html`<p>${files.none}</p>` : list}
</div>`
  return sitePage(visitor, {
    heading: files.heading,
    content,
    place: 'landing',
    scripts: ['upload.js'],
  })
}

/** The script sends the files one by one and shows how far each is; its words are attributes of the list. */
function uploadForm(visitor: Visitor, maxBytes: number): Html {
  const { upload, landing } = visitor.say
  const size = sizeText(maxBytes, visitor.language)
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const accept = mediaTypes.map(({ mimeType }) => mimeType).join(',')
  const fields = html`<div class="field"><label for="files">${upload.choose}</label>
<input id="files" type="file" name="${filesField}" multiple required accept="${accept}" aria-describedby="files-hint">
<p class="soft" id="files-hint">${types}, ${landing.upTo(size)}. <span data-hint="${upload.dropHint}">${upload.mostHint(mostFiles)}</span></p></div>
<button>${upload.submit}</button>`
  return html`${formFor(visitor, { place: 'upload', hasFiles: true, className: 'card drop', id: 'upload', fields: {} }, fields)}
${progressPanel(visitor, maxBytes)}`
}

/** What the script shows of files on their way, with its words; `{name}` stands for a number. */
function progressPanel(visitor: Visitor, maxBytes: number): Html {
  const { upload, links, layout } = visitor.say
  const { tooLarge, ended, refused, cancelledCount, problems, ...words } = upload
  const all = {
    ...words,
    ...problems,
    ...links,
    signIn: layout.signIn,
    tooLarge: tooLarge(sizeText(maxBytes, visitor.language)),
    stored: ended('{stored}', '{all}'),
    refused: refused('{refused}'),
    cancelledCount: cancelledCount('{cancelled}'),
  }
  const formats = sharedFormats.map((format) => html`<option>${labelOf(visitor, format)}</option>`)
  return html`<section class="card" id="sending" aria-label="${upload.submit}" data-max="${maxBytes}" data-words="${JSON.stringify(all)}" hidden>
<p class="row"><strong id="sent" role="status"></strong> <progress id="total" aria-label="${upload.total}" hidden></progress></p>
<p class="row" id="copying" hidden><label for="format">${upload.copyAs}</label> <select id="format">${formats}</select>
<button type="button" class="quiet" id="copy-all" data-copied="${links.copied}">${upload.copyAll}</button></p>
<ul class="rows" id="rows"></ul>
</section>`
}
