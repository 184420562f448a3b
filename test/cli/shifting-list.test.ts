import { expect, test } from 'vitest'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

/**
 * A service with uploads at 50 a page, which calls `meanwhile` after each page; a slug that is gone cannot be deleted.
 * @param given the page that is given where one is asked for, and the last one that it names
 */
async function listed(
  count: number,
  meanwhile: (slugs: string[], pages: number) => number | undefined,
  given: (asked: number, last: number) => readonly [page: number, last: number] = (asked, last) => [asked, last],
) {
  const slugs = Array.from({ length: count }, (_, index) => `slug${index}`)
  let pages = 0
  let total = count
  const step: Step = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    if (request.method === 'DELETE') {
      const at = slugs.indexOf(pathname.split('/').at(-1) ?? '')
      if (at >= 0) slugs.splice(at, 1)
      await (at < 0 ? notFound : deleted)(request, response)
      return
    }
    if (pathname.startsWith('/i/')) {
      response.end(jpegBytes(100))
      return
    }
    const [number, last] = given(Number(searchParams.get('page') ?? 1), Math.ceil(slugs.length / 50))
    const urlOf = (slug: string) => `http://${request.headers.host}/i/${slug}`
    const data = slugs
      .slice((number - 1) * 50, number * 50)
      .map((slug) => ({ ...uploadObject, slug, size: 100, direct_url: urlOf(slug) }))
    await answer(200, { current_page: number, data, last_page: last, per_page: 50, total })(request, response)
    pages += 1
    total = meanwhile(slugs, pages) ?? slugs.length
  }
  const { baseUrl, requests } = await scriptedServer(step)
  return { ...(await createRig({ service: { baseUrl }, env: { FH_LIMITS: 'none' } })), slugs, requests }
}

const deleted = answer(200, { deleted: true })
const notFound = answer(404, { error: 'Not found' })
test('a filter that deletes what another run deletes at the same time ends with 0: it is gone', async () => {
  const { fh, slugs } = await listed(60, (all, pages) => {
    if (pages === 2) all.splice(0, 40)
    return undefined
  })
  const { code, stderr } = await fh(['delete', '--yes', '--larger', '1B'])
  expect([code, slugs]).toEqual([0, []])
  expect(stderr).toContain('60 deleted')
})

test('a slug that is given by name and is gone is still not found', async () => {
  const { fh } = await listed(1, () => undefined)
  expect((await fh(['delete', '--yes', 'gone'])).code).toBe(6)
})

test.each([
  ['delete --yes --larger 1B', 3, 'fh: Uploads may be missing: others were deleted all the time while'],
  ['list --all --fields slug', 1, 'fh: Uploads may be missing: '],
])('of a list that never keeps still, fh %s does what it can, says so, and ends with %d', async (words, ...ends) => {
  let total = 1_000_000
  const { fh, slugs } = await listed(120, () => {
    total -= 60
    return total
  })
  const { code, stdout, stderr } = await fh(words.split(' '))
  expect([code, stderr]).toEqual([ends[0], expect.stringContaining(ends[1])])
  expect(stdout.split('\n').slice(0, -1)).toEqual(slugs)
})

const missing = (why: string) => expect.stringContaining(`may be missing: ${why}`)
const lies = [
  ['gives the first page for each', () => [1, 3] as const, missing('page 2 was asked for, and page 1 came')],
  ['ends after the first page', () => [1, 1] as const, missing('the list ended after 50 of 120')],
] as const
const walks = [
  ['list --all --fields slug', 50],
  ['list --sort size --fields slug', 50],
  ['list --limit 60 --fields slug', 50],
  ['list --smaller 1MB --jsonl', 50],
  ['delete --dry-run --larger 1B', 0],
  ['delete --yes --larger 1B', 0],
  ['download --all', 50],
] as const

test.each(lies.flatMap(([how, ...lie]) => walks.map(([words, lines]) => [how, words, lines, ...lie] as const)))(
  'of a list that %s, fh %s does what it can, says so, and ends with 3',
  async (_, words, lines, given, said) => {
    const { fh, slugs } = await listed(120, () => 120, given)
    const { code, stdout, stderr } = await fh(words.split(' '))
    expect([code, stderr, stdout.split('\n').length - 1]).toEqual([3, said, lines])
    expect(slugs.length).toBe(words.includes('--yes') ? 70 : 120)
  },
)

test('fh list --page 2 does not pass another page for it, nor nothing for one beyond the last', async () => {
  const { fh } = await listed(
    120,
    () => undefined,
    () => [1, 3],
  )
  const { code, stdout, stderr } = await fh(['list', '--page', '2', '--json'])
  expect([code, stderr, JSON.parse(stdout).length]).toEqual([3, missing('page 2 was asked for, and page 1 came'), 50])
  expect(await fh(['list', '--page', '9'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Page 9 of 3, '),
  })
})
