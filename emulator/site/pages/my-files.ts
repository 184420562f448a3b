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
${progressPanel(visitor, { 'data-max': `${maxBytes}`, 'data-too-large': upload.tooLarge(size) })}`
}

/** What the script shows of files on their way, with its words as attributes. */
function progressPanel(visitor: Visitor, limit: Readonly<Record<string, string>>): Html {
  const { upload, links, layout } = visitor.say
  const words = {
    ...limit,
    'data-wrong-type': upload.problems['wrong-type'],
    'data-empty': upload.problems.empty,
    'data-failed': upload.failed,
    'data-waiting': upload.waiting,
    'data-cancel': upload.cancel,
    'data-cancelled': upload.cancelled,
    'data-done': upload.done,
    'data-retry': upload.retry,
    'data-sign-in': layout.signIn,
    'data-copy': links.copy,
    'data-copied': links.copied,
    'data-drop': upload.drop,
    'data-stored': upload.ended('{stored}', '{all}'),
    'data-refused': upload.refused('{refused}'),
    'data-cancelled-count': upload.cancelledCount('{cancelled}'),
  }
  const formats = sharedFormats.map((format) => html`<option>${labelOf(visitor, format)}</option>`)
  return html`<section class="card" id="sending" aria-label="${upload.submit}"${Object.entries(words).map(([name, value]) => html` ${name}="${value}"`)} hidden>
<p class="row"><strong id="sent" role="status"></strong> <progress id="total" aria-label="${upload.total}" hidden></progress></p>
<p class="row" id="copying" hidden><label for="format">${upload.copyAs}</label> <select id="format">${formats}</select>
<button type="button" class="quiet" id="copy-all" data-copied="${links.copied}">${upload.copyAll}</button></p>
<ul class="rows" id="rows"></ul>
</section>`
}
