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
${total === 0 ? html`<p data-none>${files.none}</p>` : list}`
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
  return html`${formFor(visitor, { place: 'upload', hasFiles: true, className: 'drop', id: 'upload', fields: {} }, fields)}
<ul class="sending" id="sending" data-max="${maxBytes}" data-too-large="${upload.tooLarge(size)}" data-wrong-type="${upload.problems['wrong-type']}" data-failed="${upload.failed}" data-waiting="${upload.waiting}" data-cancel="${upload.cancel}" data-cancelled="${upload.cancelled}" data-done="${upload.done}"></ul>
<p id="sent" role="status" data-text="${upload.sent}" data-link="${upload.showFiles}"></p>`
}
