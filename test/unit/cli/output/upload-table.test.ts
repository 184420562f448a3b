import { expect, test } from 'vitest'
import type { Page } from '../../../../src/cli/output/events.ts'
import { createUploadTable } from '../../../../src/cli/output/tables/upload-table.ts'
import { createPalette } from '../../../../src/cli/output/terminal/terminal.ts'
import { loadWidths, textWidth } from '../../../../src/cli/output/terminal/terminal-text.ts'
import { uploadObject } from '../../../helpers/media.ts'

await loadWidths()

const palette = await createPalette(false)

const pageOf = (width = 80, fields?: readonly string[]): Page => ({
  palette,
  width,
  fields,
  now: Date.parse('2026-11-21T00:40:00+02:00'),
})

function tableOf(page: Page) {
  const lines: string[] = []
  return { lines, table: createUploadTable(page, (line) => lines.push(line)) }
}

const video = {
  ...uploadObject,
  slug: 'kL1mN4pQ7r',
  url: 'https://files.example/i/kL1mN4pQ7r',
  mime_type: 'video/quicktime',
  size: 209_715_200,
  created_at: '2026-01-01T20:04:05-0500',
}

test.each([
  [undefined],
  [['slug', 'title']],
  [['title', 'url', 'slug', 'size']],
  [['slug', 'title', 'url', 'direct_url', 'thumb_url', 'mime_type', 'size', 'views', 'likes', 'created_at']],
])('a list with the fields %j is cut to the width of the terminal, the title or the name first', (fields) => {
  const title = '休日の写真 \u001b[2J a title that goes on and on '.repeat(3)
  for (const width of [10, 20, 40, 60, 80, 100, 160]) {
    const { lines, table } = tableOf(pageOf(width, fields))
    for (let count = 0; count < 52; count += 1) {
      table.add({ ...(count % 2 === 1 ? video : uploadObject), title, ...(!fields && { name: title }) })
    }
    table.add({ ...uploadObject, slug: 'x'.repeat(500) })
    table.flush()
    expect(lines).toHaveLength(54)
    expect(lines.filter((line) => textWidth(line) > width || line.includes('\u001b'))).toEqual([])
    // A cell is cut once.
    expect(lines.filter((line) => /…\S*…/.test(line))).toEqual([])
    if (width >= 40 && (fields?.length ?? 9) < 5) expect(lines.join()).toContain('kL1mN4pQ7r')
  }
})

test('a list cuts names in their middle before it leaves out the address, which ends with the slug', () => {
  const name = 'a screenshot of some day at 10.22.45 in the morning.png'
  const rowOf = (width: number) => {
    const { lines, table } = tableOf(pageOf(width))
    table.add({ ...video, size: 123, name })
    table.flush()
    return lines[1]
  }
  expect(rowOf(60)).toBe('a screen…ning.png  123 B  https://files.example/i/kL1mN4pQ7r')
  expect(rowOf(50)).toMatch(/^kL1mN4pQ7r {2}a s.*png/)
})

test('a list whose addresses are too long shows when each upload was made', () => {
  const { lines, table } = tableOf(pageOf(60))
  table.add({ ...video, url: `https://files.example/i/${'x'.repeat(60)}`, name: 'a.mov' })
  table.flush()
  expect(lines[0]).toMatch(/^SLUG +NAME +SIZE +CREATED$/)
})

test('a list is printed page by page while it is read', () => {
  const { lines, table } = tableOf(pageOf())
  for (let index = 0; index < 120; index += 1) table.add({ ...uploadObject, slug: `slug${index}` })
  expect(lines).toHaveLength(1 + 100)
  table.flush()
  expect(lines).toHaveLength(1 + 120)
})

test('titles of 64 KB are cut before their width is measured', () => {
  const { lines, table } = tableOf(pageOf(80, ['slug', 'title']))
  table.add({ ...uploadObject, title: 'é'.repeat(65_536) })
  table.flush()
  expect(lines.map(textWidth)).toEqual([11 + 6, 80])
})
