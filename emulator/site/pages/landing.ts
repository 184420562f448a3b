import { endpoints, keyHeader, uploadField } from '../../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../../src/protocol/media-types.ts'
import type { HttpReply } from '../../http-types.ts'
import { html } from '../html/html.ts'
import { siteName } from '../html/html-document.ts'
import { sizeText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'
import { sitePage } from './layout.ts'

/** The landing page: what the service is and how to upload. */
export function landingPage(visitor: Visitor, maxFileSizeBytes: number): HttpReply {
  const { landing } = visitor.say
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const address = `${visitor.request.origin}${endpoints.upload.path}`
  const command = `curl -H "${keyHeader}: $FH_API_KEY" -F ${uploadField}=@photo.jpg ${address}`
  const content = html`<h2>${landing.howToUpload}</h2>
<pre tabindex="0"><code>${command}</code></pre>
<p class="soft">${landing.keyNote}</p>
<h2>${landing.accepted}</h2>
<p>${types}, ${landing.upTo(sizeText(maxFileSizeBytes, visitor.language))}</p>`
  return sitePage(visitor, { title: siteName, heading: landing.tagline, content })
}
