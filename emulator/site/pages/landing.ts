import { endpoints, keyHeader, uploadField } from '../../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../../src/protocol/media-types.ts'
import type { HttpResponse } from '../../http.ts'
import { filesField, mostFiles } from '../forms/file-form.ts'
import { type Html, html } from '../html/html.ts'
import { siteName } from '../html/html-document.ts'
import type { ListPage } from '../list-page.ts'
import { placePath } from '../site-routes.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { fileList, pager } from './file-list.ts'
import { formFor } from './form.ts'
import { sitePage } from './layout.ts'
import { copyMark, copyOf } from './links.ts'

/** The site's home for a visitor who is not signed in: what the service is and how to upload. */
export function landingPage(visitor: Visitor, maxBytes: number): HttpResponse {
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
    html`<p class="code"><code id="${id}">${command}</code> ${copyOf(visitor, id, `${links.copy}: ${command.split(' ', 1)}`, copyMark)}</p>`
  const content = html`${art}
<p class="soft">${types}, ${landing.upTo(sizeText(maxBytes, visitor.language))}</p>
<p class="row"><a class="button" href="${root}${placePath('key')}">${landing.getKey}</a></p>
<section class="card" aria-labelledby="steps"><h2 id="steps">${landing.howToUpload}</h2>
<ol class="steps">
<li>${landing.makeKey}
<li>${landing.setKey}${line('setting', setting)}
<li>${landing.send}${line('curl', curl)}${line('fh', fh)}</ol></section>`
  const shown = { title: siteName, heading: landing.tagline, content, look: 'landing', script: 'copy.js' } as const
  return sitePage(visitor, shown)
}

/** Photos that go up: the service in one drawing. */
const art = html`<svg class="art" viewBox="0 0 400 260" aria-hidden="true"><g transform="rotate(-9 119 122)"><rect width="190" height="140" x="24" y="52" rx="12" fill="#9cc4dd"/><path d="M24 168l56-60 44 44 28-26 62 48v6a12 12 0 0 1-12 12H36a12 12 0 0 1-12-12Z" fill="#4f7f9f"/></g><g transform="rotate(8 290 120)"><rect width="190" height="140" x="190" y="56" rx="12" fill="#f49f7c"/><circle cx="330" cy="96" r="18" fill="#fde2c8"/><path d="M190 150q50-34 96-10t94-14v58a12 12 0 0 1-12 12H202a12 12 0 0 1-12-12Z" fill="#43506b"/></g><rect width="200" height="150" x="100" y="84" rx="14" fill="#0b57d0"/><path d="M200 190v-62m-28 26 28-28 28 28M164 208h72" fill="none" stroke="#fff" stroke-width="13" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** The account's own files, with the form to upload others. */
export function filesPage(visitor: Visitor, shown: ListPage, maxBytes: number): HttpResponse {
  const { files } = visitor.say
  const list = html`<p class="soft">${files.count(shown.total)}</p>
${fileList(visitor, shown.items)}
${pager(visitor, shown)}`
  const content = html`${uploadForm(visitor, maxBytes)}
<div id="list">
${shown.total === 0 ? html`<p class="empty">${files.none}</p>` : list}
</div>`
  return sitePage(visitor, { heading: files.heading, content, place: 'landing', script: 'upload.js' })
}

const arrow = html`<svg viewBox="0 0 24 24" width="44" height="44" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 15V4m-4 4 4-4 4 4M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3"/></svg>`

/** The script sends the files one by one and shows how far each is; its words are attributes of the list. */
function uploadForm(visitor: Visitor, maxBytes: number): Html {
  const { upload, landing } = visitor.say
  const size = sizeText(maxBytes, visitor.language)
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const accept = mediaTypes.map(({ mimeType }) => mimeType).join(',')
  const fields = html`<div class="field">${arrow}<label for="files">${upload.choose}</label>
<input id="files" type="file" name="${filesField}" multiple required accept="${accept}" aria-describedby="files-hint">
<p class="soft" id="files-hint">${types}, ${landing.upTo(size)}. <span data-hint="${upload.dropHint}">${upload.mostHint(mostFiles)}</span></p></div>
<button>${upload.submit}</button>`
  return html`${formFor(visitor, { place: 'upload', hasFiles: true, className: 'card drop', id: 'upload', fields: {} }, fields)}
${progressPanel(visitor, maxBytes)}`
}

/** What the script shows of files on their way, with its words; `{name}` stands for a number. */
function progressPanel(visitor: Visitor, maxBytes: number): Html {
  const { upload, links, layout } = visitor.say
  const { tooLarge, ended, refused, problems, ...words } = upload
  const all = {
    ...words,
    ...problems,
    ...links,
    signIn: layout.signIn,
    tooLarge: tooLarge(sizeText(maxBytes, visitor.language)),
    stored: ended('{stored}', '{all}'),
    refused: refused('{refused}'),
  }
  return html`<section class="card" id="sending" aria-label="${upload.submit}" data-max="${maxBytes}" data-words="${JSON.stringify(all)}" hidden>
<p><strong id="sent" role="status"></strong></p>
<ul class="rows" id="rows"></ul>
</section>`
}
