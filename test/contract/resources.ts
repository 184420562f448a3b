import { expect, test } from 'vitest'
import { parseStats, parseUpload, parseUploadPage } from '../../src/protocol/resources.ts'
import { call, picture, uploaded } from './media.ts'
import type { ContractTarget } from './targets.ts'

/** Spec 2: what the objects are made of. */
export function resourceClauses(target: ContractTarget): void {
  test('spec 2.1: an upload object has these fields, and each is of its type', async () => {
    const upload = await uploaded(target)
    expect(parseUpload(upload)).toEqual(upload)
    expect(Object.keys(upload)).toEqual([
      'slug',
      'title',
      'url',
      'direct_url',
      'thumb_url',
      'mime_type',
      'size',
      'views',
      'likes',
      'created_at',
    ])
  })

  test('spec 2.1: the links of an upload are made of its slug', async () => {
    const { slug, url, direct_url, thumb_url } = await uploaded(target)
    const site = url.slice(0, -`/i/${slug}`.length)
    expect(site).toMatch(/^https?:\/\/[^/]/)
    expect([url, direct_url]).toEqual([`${site}/i/${slug}`, `${site}/i/${slug}.png`])
    expect([null, `${site}/t/${slug}`]).toContain(thumb_url)
  })

  test('spec 2.1: a new upload has no title, no views and no likes, and the size and type of its file', async () => {
    expect(await uploaded(target)).toMatchObject({
      title: null,
      views: 0,
      likes: 0,
      size: picture.length,
      mime_type: 'image/png',
    })
  })

  test('spec 2.1: an upload is dated in ISO 8601 with a numeric offset', async () => {
    const { created_at } = await uploaded(target)
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:?\d\d$/)
    const now = target.emulator?.clock.now()
    if (now !== undefined) expect(Date.parse(created_at)).toBe(Math.floor(now / 1_000) * 1_000)
  })

  test('spec 2.2: a page has these fields, and each is of its type', async () => {
    await uploaded(target)
    const page = (await call(target, 'GET', '/api/uploads')).json
    expect(parseUploadPage(page)).toEqual(page)
    expect(Object.keys(page)).toEqual([
      'current_page',
      'data',
      'first_page_url',
      'from',
      'last_page',
      'last_page_url',
      'links',
      'next_page_url',
      'path',
      'per_page',
      'prev_page_url',
      'to',
      'total',
    ])
  })

  test('spec 2.2: the addresses in a page are absolute, and the first is of page 1', async () => {
    const { path, first_page_url, last_page_url, last_page } = (await call(target, 'GET', '/api/uploads')).json
    expect(path).toMatch(/^https?:\/\/[^/]+.*\/api\/uploads$/)
    expect([first_page_url, last_page_url]).toEqual([`${path}?page=1`, `${path}?page=${last_page}`])
  })

  test('spec 2.2: a page has 50 uploads, and the first page nothing before it', async () => {
    const page = (await call(target, 'GET', '/api/uploads')).json
    expect([page.per_page, page.current_page, page.prev_page_url]).toEqual([50, 1, null])
    expect(page.links[0]).toEqual({ url: null, label: '« Previous', active: false })
    expect(page.links.filter(({ active }) => active)).toMatchObject([{ label: '1' }])
  })

  test('spec 2.3: the statistics have these fields, and each is a whole number', async () => {
    const stats = (await call(target, 'GET', '/api/stats')).json
    expect(Object.keys(stats)).toEqual(['uploads', 'albums', 'total_views', 'api_requests'])
    expect(Object.values(stats).every((value) => Number.isInteger(value) && Number(value) >= 0)).toBe(true)
    expect(parseStats(stats)).toEqual(stats)
  })

  test('spec 2.3: uploads are counted as they come', async () => {
    const before = (await call(target, 'GET', '/api/stats')).json
    await uploaded(target)
    const after = (await call(target, 'GET', '/api/stats')).json
    expect(after.uploads - before.uploads).toBe(1)
  })

  test('spec 2.3: the request that asks for the statistics is not among those it counts', async () => {
    const first = (await call(target, 'GET', '/api/stats')).json
    const second = (await call(target, 'GET', '/api/stats')).json
    expect(second.api_requests - first.api_requests).toBe(1)
    const logged = target.emulator?.control.requests.list({ account_id: 1 }).requests.length
    if (logged !== undefined) expect(second.api_requests).toBe(logged - 1)
  })
}
