import { endpoints, keyHeader, uploadField } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { HttpReply } from '../http-types.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { words } from './messages.ts'
import { framedContent, pageReply, siteName } from './page.ts'
import { sizeText } from './quantities.ts'

interface LandingPageOptions {
  readonly language: Language
  /** Scheme, host and port under which the visitor sees the service. */
  readonly origin: string
  readonly maxFileSizeBytes: number
}

/** What the service is and how a file gets into it. */
export function landingPage({ language, origin, maxFileSizeBytes }: LandingPageOptions): HttpReply {
  const say = words[language]
  const types = mediaTypes.map(({ label }) => label).join(', ')
  const command = `curl -H "${keyHeader}: $FH_API_KEY" -F ${uploadField}=@photo.jpg ${origin}${endpoints.upload.path}`
  const content = html`<h2>${say.howToUpload}</h2>
<pre><code>${command}</code></pre>
<p class="soft">${say.keyNote}</p>
<h2>${say.accepted}</h2>
<p>${types}, ${say.upTo(sizeText(maxFileSizeBytes, language))}</p>`
  return pageReply({ language, title: siteName, content: framedContent(say.tagline, './', content) })
}
