import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { multipartForm } from '../../../helpers/multipart-form.ts'
import { json } from '../emulated.ts'
import { ownAccount } from './own-account.ts'

const places = ['/', '/feed', '/upload', '/albums', '/i/SLUG', '/albums/1']
const ends = ['', '/title', '/like', '/album', '/delete', '/name', '/add', '/take', '/remove', '/nothing']
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    '1',
    '-1',
    'NaN',
    '1e999',
    '__proto__',
    '<script>',
    '\u0000',
    '%00',
    '\ud800',
    '../..',
    'yes',
    'add',
  ),
)
const fields = fc.array(
  fc.tuple(fc.constantFrom('title', 'like', 'album', 'do', 'name', 'file', 'all', 'from', 'message', 'page'), nasty),
  { maxLength: 6 },
)

test('no fields of a form break a page of the site or let markup through', async () => {
  const { emulator, id, browser, upload } = await ownAccount()
  const { slug } = await upload()
  emulator.control.accounts.update(id, { albums: 1 })
  const paths = places.flatMap((place) => ends.map((end) => `${place.replace('SLUG', slug)}${end}`))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.boolean(), fields, async (path, isPost, given) => {
      // Deleting is held by tests of its own.
      fc.pre(!isPost || !/\/(delete|remove)$/.test(path))
      const search = new URLSearchParams([...given.map(([name, value]): [string, string] => [name, value])])
      const request = isPost
        ? new Request(`http://h${path}`, {
            method: 'POST',
            redirect: 'manual',
            headers: { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin' },
            body: search,
          })
        : new Request(`http://h${path}?${search}`, { redirect: 'manual', headers: { Cookie: browser.cookie() } })
      const reply = await emulator.fetch(request)
      expect(reply.status).toBeLessThan(500)
      expect(await reply.text()).not.toContain('<script>')
      expect(reply.headers.get('Location') ?? './').toMatch(/^(\.\.?\/)+[\w/-]*(\?[\w%=&.+*-]*)?$/)
    }),
    { numRuns: 400 },
  )
})

test('a broken body of files stores nothing and is answered', async () => {
  const { emulator, id, browser } = await ownAccount()
  const whole = multipartForm({ name: 'files', fileName: 'a.jpg', content: jpegBytes(3_000) })
  const bodies: readonly (readonly [string, Uint8Array])[] = [
    [whole.headers['Content-Type'], whole.body.subarray(0, 2_000)],
    ['multipart/form-data', whole.body],
    ['multipart/form-data; boundary=other', whole.body],
    ['multipart/form-data; boundary=x', Buffer.from('--x\r\n--x\r\n\r\n--x--')],
    [whole.headers['Content-Type'], Buffer.alloc(0)],
    [whole.headers['Content-Type'], multipartForm({ name: 'file', fileName: 'a.jpg', content: jpegBytes(9) }).body],
    [whole.headers['Content-Type'], multipartForm({ name: 'files', content: 'text' }).body],
    ['image/jpeg', jpegBytes(9)],
  ]
  for (const [type, body] of bodies) {
    const headers = { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin', 'Content-Type': type }
    const request = new Request('http://h/upload', { method: 'POST', redirect: 'manual', headers, body })
    const reply = await emulator.fetch(request)
    expect([200, 400]).toContain(reply.status)
  }
  expect(emulator.control.health()).toMatchObject({ uploads: 0, bytes_stored: 0 })
  expect(emulator.control.accounts.get(id).albums).toBe(0)
})

test('two forms at once that like, delete or fill an album leave one result', async () => {
  const { emulator, id, browser, api, upload } = await ownAccount()
  const { slug } = await upload()
  emulator.control.accounts.update(id, { albums: 1 })
  const send = (path: string, given: Readonly<Record<string, string>>) =>
    emulator.fetch(
      new Request(`http://h${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams(given),
      }),
    )
  await Promise.all([1, 2, 3].map(() => send(`/i/${slug}/like`, { like: 'yes' })))
  expect((await json(api('GET', `/api/uploads/${slug}`))).upload.likes).toBe(1)
  await Promise.all([1, 2, 3].map(() => send('/albums/1/add', { file: slug })))
  expect((await browser.get('/albums')).text).toContain('<small>1 file</small>')
  const gone = await Promise.all([1, 2, 3].map(() => send(`/i/${slug}/delete`, {})))
  expect(gone.map(({ status }) => status).sort()).toEqual([303, 404, 404])
  expect((await browser.get('/albums/1')).text).toContain('The album is empty.')
})
