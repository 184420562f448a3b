import { expect, test } from 'vitest'
import { html } from '../../../../emulator/site/html/html.ts'

test('text is escaped everywhere, nested markup is not', () => {
  const title = `<script>alert("x" & 'y')</script>`
  const built = html`<p title="${title}">${html`<b>${title}</b>`}${[html`<i>${1}</i>`, html`<u>${undefined}</u>`]}</p>`
  const escaped = '&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;'
  expect(`${built}`).toBe(`<p title="${escaped}"><b>${escaped}</b><i>1</i><u></u></p>`)
})
