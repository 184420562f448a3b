import { expect } from 'vitest'
import { parseUpload, parseUploadPage } from '../../src/protocol/resources.ts'
import type { Clauses } from './clauses.ts'
import { call, uploaded } from './media.ts'
import { picture } from './picture.ts'
import { type ContractTarget, isOwn } from './targets.ts'

/** Spec 2: the objects. The OpenAPI document checks the type of every field. */
export function resourceClauses(target: ContractTarget, { clause, fact }: Clauses): void {
  const uploadFields = 'slug title url direct_url thumb_url mime_type size views likes created_at'.split(' ')

  fact('spec 2.1, silence 18: an upload object has the spec’s fields', uploadFields, async () => {
    const upload = await uploaded(target)
    expect(parseUpload(upload)).toEqual(upload)
    return Object.keys(upload)
  })

  clause('spec 2.1, silence 10: an upload’s links contain its slug', async () => {
    const { slug, url, direct_url, thumb_url } = await uploaded(target)
    const site = url.slice(0, -`/i/${slug}`.length)
    expect(site).toEqual(isOwn(target) ? target.baseUrl : expect.stringMatching(/^https?:\/\/[^/]/))
    expect([url, direct_url]).toEqual([`${site}/i/${slug}`, `${site}/i/${slug}.png`])
    expect([null, `${site}/t/${slug}`]).toContain(thumb_url)
  })

  const fresh = [null, 0, 0, 'image/png', picture.length]

  fact(
    'spec 2.1, silence 15: a new upload has no title, no views, no likes, and its file’s type and size in bytes',
    fresh,
    async () => {
      const { title, views, likes, mime_type, size } = await uploaded(target)
      return [title, views, likes, mime_type, size]
    },
  )

  clause('spec 2.1: creation times are ISO 8601 with a numeric offset', async () => {
    const now = target.emulator?.clock.now()
    const { created_at } = await uploaded(target)
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:?\d\d$/)
    const instant = Date.parse(created_at.replace(/(\d\d)(\d\d)$/, '$1:$2'))
    if (now !== undefined) expect(instant).toBe(Math.floor(now / 1_000) * 1_000)
  })

  clause('spec 2.2: a page has the spec’s fields', async () => {
    await uploaded(target)
    const page = (await call(target, 'GET', '/api/uploads')).json
    expect(parseUploadPage(page)).toEqual(page)
    expect(Object.keys(page).join(' ')).toBe(
      'current_page data first_page_url from last_page last_page_url links next_page_url path per_page prev_page_url to total',
    )
  })

  clause('spec 2.2: page addresses are absolute, and the first is of page 1', async () => {
    const { path, first_page_url, last_page_url, last_page } = (await call(target, 'GET', '/api/uploads')).json
    expect(path).toMatch(/^https?:\/\/[^/]+.*\/api\/uploads$/)
    expect([first_page_url, last_page_url]).toEqual([`${path}?page=1`, `${path}?page=${last_page}`])
  })

  clause('spec 2.2: a page has 50 uploads, and page 1 has no previous page', async () => {
    const page = (await call(target, 'GET', '/api/uploads')).json
    expect([page.per_page, page.current_page, page.prev_page_url]).toEqual([50, 1, null])
    expect(page.links.filter(({ active }) => active)).toMatchObject([{ label: '1' }])
  })

  const firstLink = { url: null, label: '« Previous', active: false }

  fact('spec 2.2: on page 1 the link to the previous page is inactive and has no URL', firstLink, async () => {
    return (await call(target, 'GET', '/api/uploads')).json.links[0]
  })

  const statsFields = ['uploads', 'albums', 'total_views', 'api_requests'].map((name) => [name, true])

  fact('spec 2.3, 4.5, silence 18, 19: statistics have their fields, each a whole number', statsFields, async () => {
    const numbers = Object.entries((await call(target, 'GET', '/api/stats')).json)
    return numbers.map(([name, value]) => [name, Number.isInteger(value) && Number(value) >= 0])
  })

  clause('spec 2.3, silence 29, 30: a new upload is counted at once', async () => {
    const before = (await call(target, 'GET', '/api/stats')).json
    await uploaded(target)
    const after = (await call(target, 'GET', '/api/stats')).json
    expect(after.uploads - before.uploads).toBe(1)
  })

  clause('spec 1, 2.3, silence 4: statistics exclude the request that asks for them', async () => {
    const first = (await call(target, 'GET', '/api/stats')).json
    const second = (await call(target, 'GET', '/api/stats')).json
    expect(second.api_requests - first.api_requests).toBe(1)
    const logged = target.emulator?.control.requests.list({ account_id: 1 }).requests.length
    if (logged !== undefined) expect(second.api_requests).toBe(logged - 1)
  })
}
