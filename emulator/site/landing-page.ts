import { endpoints, keyHeader, uploadField } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { HttpReply } from '../http-types.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { messages } from './messages.ts'
import { framedContent, pageReply, siteName } from './page.ts'
import { sizeText } from './quantities.ts'

interface LandingPageOptions {
  readonly language: Language
  /** The origin under which the visitor sees the service. */
  readonly origin: string
  readonly maxFileSizeBytes: number
}

/** The landing page: what the service is and how to upload. */
export function landingPage({ language, origin, maxFileSizeBytes }: LandingPageOptions): HttpReply {
  const say = messages[language]
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const command = `curl -H "${keyHeader}: $FH_API_KEY" -F ${uploadField}=@photo.jpg ${origin}${endpoints.upload.path}`
  const content = html`<h2>${say.howToUpload}</h2>
<pre><code>${command}</code></pre>
<p class="soft">${say.keyNote}</p>
<h2>${say.accepted}</h2>
<p>${types}, ${say.upTo(sizeText(maxFileSizeBytes, language))}</p>`
  return pageReply({ language, title: siteName, content: framedContent(say.tagline, './', content) })
}
