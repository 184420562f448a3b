import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TerminalViewOptions } from '../../../../../src/cli/output/tables/account-view.ts'
import { createTerminalView } from '../../../../../src/cli/output/tables/terminal-view.ts'
import { createPalette } from '../../../../../src/cli/output/terminal/terminal.ts'
import { textWidth } from '../../../../../src/cli/output/terminal/terminal-text.ts'
import type { Upload } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const now = Date.parse('2026-11-21T00:40:00+02:00')
const plain = await createPalette(false)

beforeEach(() => void vi.stubEnv('TZ', 'Europe/Bucharest'))
afterEach(() => void vi.unstubAllEnvs())

function view(options: { width?: number; unicode?: boolean; hyperlinks?: boolean; fields?: readonly string[] }) {
  const lines: string[] = []
  const { width = 80, unicode = true, hyperlinks = false, fields } = options
  const viewOptions: TerminalViewOptions = {
    print: (line) => lines.push(line),
    fields,
    palette: plain,
    traits: { width: () => width, unicode, hyperlinks, taskbar: false, pushesCursor: false },
    now: () => now,
  }
  return { lines, view: createTerminalView(viewOptions) }
}

const uploads: readonly Upload[] = [
  { ...uploadObject, url: 'https://files.example/i/a1B2c3D4e5' },
  {
    ...uploadObject,
    slug: 'kL1mN4pQ7r',
    url: 'https://files.example/i/kL1mN4pQ7r',
    thumb_url: 'https://files.example/t/kL1mN4pQ7r',
    mime_type: 'video/quicktime',
    size: 209_715_200,
    views: 1_234,
    created_at: '2026-01-01T20:04:05-0500',
  },
]

function listed(options: Parameters<typeof view>[0]): readonly string[] {
  const { lines, view: account } = view(options)
  for (const upload of uploads) account.list(upload)
  account.endList()
  return lines
}

test.each([
  [undefined],
  [['slug', 'title']],
  [['title', 'url', 'slug', 'size']],
  [['slug', 'title', 'url', 'direct_url', 'thumb_url', 'mime_type', 'size', 'views', 'likes', 'created_at']],
])('a list with the fields %j is cut to the width of the terminal, the title or the name first', (fields) => {
  const title = '休日の写真 \u001b[2J a title that goes on and on '.repeat(3)
  for (const width of [10, 20, 40, 60, 80, 100, 160]) {
    const { lines, view: account } = view({ width, ...(fields && { fields }) })
    for (let count = 0; count < 52; count += 1) {
      account.list({ ...(uploads[count % 2] ?? uploadObject), title, ...(!fields && { name: title }) })
    }
    account.list({ ...uploadObject, slug: 'x'.repeat(500) })
    account.endList()
    expect(lines).toHaveLength(54)
    expect(lines.filter((line) => textWidth(line) > width || line.includes('\u001b'))).toEqual([])
    if (width >= 40 && (fields?.length ?? 9) < 5) expect(lines.join()).toContain('kL1mN4pQ7r')
  }
})

test('a list cuts names in their middle before it leaves out the address, which ends with the slug', () => {
  const name = 'a screenshot of some day at 10.22.45 in the morning.png'
  const rowOf = (width: number) => {
    const { lines, view: account } = view({ width })
    for (const upload of uploads) account.list({ ...upload, name })
    account.endList()
    return lines[1]
  }
  expect(rowOf(80)).toBe('a screen…rning.png   123 B  1 h ago           https://files.example/i/a1B2c3D4e5')
  expect(rowOf(60)).toBe('a scree…ning.png   123 B  https://files.example/i/a1B2c3D4e5')
  expect(rowOf(50)).toMatch(/^a1B2c3D4e5 {2}a s.*png/)
})

test('on a terminal that supports links, the slugs of a list are links', () => {
  const [, first] = listed({ width: 80, hyperlinks: true })
  const address = 'https://files.example/i/a1B2c3D4e5'
  expect(first?.startsWith(`\u001b]8;;${address}\u001b\\a1B2c3D4e5\u001b]8;;\u001b\\  image/jpeg`)).toBe(true)
})

test('a list is printed page by page while it is read', () => {
  const { lines, view: account } = view({})
  for (let index = 0; index < 120; index += 1) account.list({ ...uploadObject, slug: `slug${index}` })
  expect(lines).toHaveLength(1 + 100)
  account.endList()
  expect(lines).toHaveLength(1 + 120)
})

test('an upload on a terminal has its size in words and in bytes, and its date with its age', () => {
  const { lines, view: account } = view({})
  account.show({ ...uploadObject, size: 85_049 })
  expect(lines).toContain('size        83.1 KB (85,049 bytes)')
  expect(lines).toContain('created_at  2026-11-20 23:32:18 +02:00 (1 h ago)')
  expect(lines).toContain('thumb_url   - (not made yet)')
})

test('an upload on a terminal shows its recorded name where it has no title', () => {
  const shown = (upload: object) => {
    const { lines, view: account } = view({})
    account.show({ ...uploadObject, ...upload })
    return lines.filter((line) => /^(name|title)/.test(line))
  }
  expect(shown({ name: 'cat.png' })).toEqual(['name        cat.png', 'title       -'])
  expect(shown({ title: 'Cat', name: 'Cat' })).toEqual(['title       Cat'])
  expect(shown({ name: null })).toEqual(['title       -'])
})

test('on a terminal that supports links, only http and https addresses of an upload are links', () => {
  const { lines, view: account } = view({ hyperlinks: true, fields: ['url', 'direct_url'] })
  account.show({ ...uploadObject, url: 'javascript:alert(1)', direct_url: 'https://h/i/a.jpg' })
  expect(lines[0]).toBe('url         javascript:alert(1)')
  expect(lines[1]).toContain('\u001b]8;;https://h/i/a.jpg\u001b\\https://h/i/a.jpg')
})

test('statistics on a terminal end with a bar of the remaining quota, or say that it is not reported', () => {
  const stats = { uploads: 1_234, albums: 0, total_views: 9, api_requests: 5 }
  const { lines, view: account } = view({ width: 24 })
  account.stats(stats, { limit: 60, remaining: 42, reset_at: '2026-11-20T22:40:23.000Z', cost: 1 })
  expect(lines.slice(-2)).toEqual(['▕███████████████░░░░░░░▏', '42 of 60 units left this minute, reset in 23 s'])
  account.stats(stats, { limit: null, remaining: null, reset_at: null, cost: null })
  expect(lines.at(-1)).toBe('The service did not report the remaining quota')
})

test('titles of 64 KB are cut before their width is measured', () => {
  const { lines, view: account } = view({ width: 80, fields: ['slug', 'title'] })
  account.list({ ...uploadObject, title: 'é'.repeat(65_536) })
  account.endList()
  expect(lines.map(textWidth)).toEqual([11 + 6, 80])
})
