import { expect, test } from 'vitest'
import { ownAccount } from './own-account.ts'
import type { Page } from './visitor.ts'

/** The hidden field of the page's form to a path. */
function basisOf({ text }: Page, path: string): string {
  const form = text.slice(text.indexOf(path.slice(1), text.indexOf('<main')))
  return /name="was" value="([^"]+)"/.exec(form)?.[1] ?? ''
}

type Own = Awaited<ReturnType<typeof ownAccount>>

const ofFile = async ({ upload }: Own) => `/i/${(await upload()).slug}`
const key = async () => '/cont/cheie-api'

test.each([
  ['a title', ofFile, '/title', 'title', 'First <b>', 'you opened this page: it is now “First &lt;b&gt;”.'],
  ['the allowlist', key, '/allowlist', 'addresses', '192.0.2.1\n::1', '<pre tabindex="0">192.0.2.1\n::1</pre>'],
])(
  'of two browsers that save %s at once, the second is shown both, and saves its own when it is sent again',
  async (_, make, form, field, first, told) => {
    const own = await ownAccount()
    const { browser } = own
    const page = await make(own)
    const opened = await browser.get(page)
    const send = (value: string, shown: Page) =>
      browser.post(`${page}${form}`, { [field]: value, consent: 'yes', was: basisOf(shown, `${page}${form}`) }, page)
    const saved = () => send('198.51.100.1', opened)
    expect((await send(first, opened)).status).toBe(303)

    const asked = await send('198.51.100.1', opened)
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('after you opened this page')
    expect(asked.text).toContain(told)
    expect(asked.text).toMatch(/(value="|>\n)198\.51\.100\.1["<]/)
    expect((await saved()).status).toBe(200)

    expect((await send('198.51.100.1', asked)).status).toBe(303)
    expect((await browser.get(page)).text).toMatch(/(<h1>|>\n)198\.51\.100\.1<\//)
    // What is saved already can be sent again.
    expect((await saved()).status).toBe(303)
  },
)

test('a list that was emptied since the page was opened is said to be', async () => {
  const { emulator, id, browser } = await ownAccount()
  emulator.control.accounts.update(id, { ip_allowlist: ['192.0.2.1'] })
  const was = basisOf(await browser.get('/cont/cheie-api'), 'allowlist')
  emulator.control.accounts.update(id, { ip_allowlist: [] })
  const asked = await browser.send('/cont/cheie-api/allowlist', { do: 'save', addresses: '203.0.113.1', was })
  expect(asked.text).toContain('after you opened this page: it is now empty.')
})
