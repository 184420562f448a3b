import { expect, test } from 'vitest'
import { ownAccount } from './own-account.ts'
import type { Page } from './visitor.ts'

/** The hidden field of the page's form to a path. */
function basisOf({ text }: Page, path: string): string {
  const form = text.slice(text.indexOf(path.slice(1), text.indexOf('<main')))
  return /name="was" value="([^"]+)"/.exec(form)?.[1] ?? ''
}

const allowlistPath = '/cont/cheie-api/allowlist'

test('of two browsers that save the allowlist at once, the second is shown both lists, and saves its own when it is sent again', async () => {
  const { emulator, id, browser } = await ownAccount()
  const page = '/cont/cheie-api'
  const opened = await browser.get(page)
  const send = (addresses: string, shown: Page) =>
    browser.post(allowlistPath, { do: 'save', consent: 'yes', addresses, was: basisOf(shown, 'allowlist') }, page)
  const saved = () => emulator.control.accounts.get(id).ip_allowlist
  expect((await send('192.0.2.1\n192.0.2.2', opened)).status).toBe(303)

  const asked = await send('198.51.100.1', opened)
  expect(asked.status).toBe(200)
  expect(asked.text).toContain('The list was changed after you opened this page.')
  expect(asked.text).toContain('<pre tabindex="0">192.0.2.1\n192.0.2.2</pre>')
  expect(asked.text).toContain('>\n198.51.100.1</textarea>')
  expect(saved()).toEqual(['192.0.2.1', '192.0.2.2'])

  expect((await send('198.51.100.1', asked)).status).toBe(303)
  expect(saved()).toEqual(['198.51.100.1'])
  expect((await send('198.51.100.1', opened)).status).toBe(303)
  emulator.control.accounts.update(id, { ip_allowlist: [] })
  expect((await send('203.0.113.1', asked)).text).toContain('The list was emptied after you opened this page.')
})

test.each([
  ['a title', async ({ upload }: Own) => `/i/${(await upload()).slug}`, '/title', 'title'],
  ['an album’s name', madeAlbum, '/name', 'name'],
])(
  'of two browsers that save %s at once, the second is shown both, and saves its own when it is sent again',
  async (_, make, form, field) => {
    const own = await ownAccount()
    const { browser } = own
    const page = await make(own)
    const opened = await browser.get(page)
    const send = (value: string, shown: Page) =>
      browser.post(`${page}${form}`, { [field]: value, was: basisOf(shown, `${page}${form}`) }, page)
    expect((await send('First <b>', opened)).status).toBe(303)

    const asked = await send('Second', opened)
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('after you opened this page: it is now “First &lt;b&gt;”.')
    expect(asked.text).toContain('value="Second"')
    expect((await browser.get(page)).text).toContain('<h1>First &lt;b&gt;</h1>')

    expect((await send('Second', asked)).status).toBe(303)
    expect((await browser.get(page)).text).toContain('<h1>Second</h1>')
  },
)

type Own = Awaited<ReturnType<typeof ownAccount>>

async function madeAlbum({ browser }: Own): Promise<string> {
  const made = await browser.post('/albums', { name: 'Old' })
  return (made.location ?? '').replace(/^[./]*/, '/').replace(/\?.*/, '')
}
