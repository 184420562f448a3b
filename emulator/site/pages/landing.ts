import { endpoints, keyHeader, uploadField } from '../../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../../src/protocol/media-types.ts'
import type { HttpReply } from '../../http-types.ts'
import type { UploadRecord } from '../../storage/records.ts'
import { filesField, mostFiles } from '../forms/file-form.ts'
import { type Html, html } from '../html/html.ts'
import { siteName } from '../html/html-document.ts'
import { placePath } from '../site-routes.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { fileList, pager } from './file-list.ts'
import { formFor } from './form.ts'
import { sitePage } from './layout.ts'
import { copyOf } from './links.ts'

/** The site's home for a visitor who is not signed in: what the service is and how to upload. */
export function landingPage(visitor: Visitor, maxFileSizeBytes: number): HttpReply {
  const { say, root } = visitor
  const { landing, links } = say
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const { origin } = visitor.request
  const [setting, curl, fh] = [
    `export FH_BASE_URL=${origin} FH_API_KEY=${landing.yourKey}`,
    `curl -H "${keyHeader}: $FH_API_KEY" -F ${uploadField}=@photo.jpg ${origin}${endpoints.upload.path}`,
    'fh upload photo.jpg',
  ]
  const line = (id: string, command: string) =>
    html`<p class="code"><code id="${id}">${command}</code> ${copyOf(visitor, id, `${links.copy}: ${command.split(' ', 1)}`)}</p>`
  const content = html`<p class="soft">${types}, ${landing.upTo(sizeText(maxFileSizeBytes, visitor.language))}</p>
<p class="row"><a class="button" href="${root}${placePath('key')}">${landing.getKey}</a> <a class="button quiet" href="${root}${placePath('feed')}">${landing.latest}</a></p>
<section class="card" aria-labelledby="steps"><h2 id="steps">${landing.howToUpload}</h2>
<ol class="steps">
<li>${landing.makeKey}
<li>${landing.setKey}${line('setting', setting)}
<li>${landing.send}${line('curl', curl)}${line('fh', fh)}</ol></section>`
  const shown = { title: siteName, heading: landing.tagline, content, look: 'landing', scripts: ['copy.js'] } as const
  return sitePage(visitor, shown)
}

interface MyFiles {
  readonly uploads: readonly UploadRecord[]
  readonly total: number
  readonly page: number
  readonly lastPage: number
  readonly maxFileSizeBytes: number
}

/** The account's own files, with the form to upload others. */
export function filesPage(visitor: Visitor, shown: MyFiles): HttpReply {
  const { files } = visitor.say
  const { uploads, total, page, lastPage, maxFileSizeBytes } = shown
  const list = html`<p class="soft">${files.count(total)}</p>
${fileList(visitor, uploads)}
${pager(visitor, { place: 'landing', page, lastPage })}`
  const content = html`${uploadForm(visitor, maxFileSizeBytes)}
${total === 0 ? html`<p>${files.none}</p>` : list}`
  return sitePage(visitor, { heading: files.heading, content, place: 'landing', scripts: ['copy.js'] })
}

function uploadForm(visitor: Visitor, maxBytes: number): Html {
  const { upload, landing } = visitor.say
  const size = sizeText(maxBytes, visitor.language)
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const accept = mediaTypes.map(({ mimeType }) => mimeType).join(',')
  const fields = html`<div class="field"><label for="files">${upload.choose}</label>
<input id="files" type="file" name="${filesField}" multiple required accept="${accept}" aria-describedby="files-hint">
<p class="soft" id="files-hint">${types}, ${landing.upTo(size)}. ${upload.mostHint(mostFiles)}</p></div>
<button>${upload.submit}</button>`
  return html`${formFor(visitor, { place: 'upload', hasFiles: true, className: 'card', fields: {} }, fields)}`
}
