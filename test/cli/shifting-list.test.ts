import { expect, test } from 'vitest'
import { uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

/** A service with uploads at 50 a page, which calls `meanwhile` after each page; a slug that is gone cannot be deleted. */
async function listed(count: number, meanwhile: (slugs: string[], pages: number) => number | undefined) {
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
    const number = Number(searchParams.get('page') ?? 1)
    const data = slugs.slice((number - 1) * 50, number * 50).map((slug) => ({ ...uploadObject, slug }))
    const last = Math.ceil(slugs.length / 50)
    await answer(200, { current_page: number, data, last_page: last, per_page: 50, total })(request, response)
    pages += 1
    total = meanwhile(slugs, pages) ?? slugs.length
  }
  const { baseUrl, requests } = await scriptedServer(step)
  return { ...(await createRig({ service: { baseUrl }, env: { FH_LIMITS: 'none' } })), slugs, requests }
}

const deleted = answer(200, { success: true, message: 'Deleted' })
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
  ['delete --yes --larger 1B', 3, 'Uploads that match may be missing: others were deleted all the time while'],
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
