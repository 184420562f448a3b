import { expect } from 'vitest'
import { createAccount, stockedAccount } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, uploaded, uploadFile } from '../media.ts'
import type { OwnTarget } from '../targets.ts'

/** Choices on spec 2: the objects. */
export function objectSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control, clock } = target.emulator
  const show = async (slug: string, account = target) =>
    (await call(account, 'GET', `/api/uploads/${slug}`)).json.upload
  const stats = async (account: OwnTarget) => (await call(account, 'GET', '/api/stats')).json
  const fetched = (url: string) => {
    const { pathname, search } = new URL(url)
    return target.send('GET', pathname + search, { headers: { Accept: '*/*' } })
  }

  fact('silence 8: a slug is ten letters and digits', expect.stringMatching(/^[A-Za-z0-9]{10}$/), async () => {
    return (await uploaded(target)).slug
  })

  clause('silence 8: slugs are case-sensitive', async () => {
    const { account, slugs } = await stockedAccount(target, { count: 1 })
    const statuses = [swapCase(`${slugs[0]}`), `${slugs[0]}`].map((slug) =>
      call(account, 'GET', `/api/uploads/${slug}`),
    )
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 200])
  })

  clause('silence 9: an upload shows a title that was set on the site unchanged', async () => {
    const { slug } = await uploaded(target)
    const title = '« Ține-mă » 🦝 <b>'
    await control.uploads.update(slug, { title })
    expect((await show(slug)).title).toBe(title)
  })

  const thumbnailAt = [false, false, true, 200, 'image/jpeg']

  fact(
    'silence 12, 13: the thumbnail is a JPEG that exists two seconds after the upload, not earlier',
    thumbnailAt,
    async () => {
      const start = clock.now()
      const { slug, thumb_url } = (await uploadFile(target)).json.upload
      const links = [thumb_url]
      for (const ms of [1_999, 2_000]) {
        await control.clock.set(start + ms)
        links.push((await call(target, 'GET', `/api/uploads/${slug}`)).json.upload?.thumb_url ?? null)
      }
      const address = `${target.baseUrl}/t/${slug}`
      const { status, headers } = await fetched(address)
      return [...links.map((link) => link === address), status, headers.get('Content-Type')]
    },
  )

  clause('spec 2.1, silence 16: fetching the file counts as a view, and likes are those that are set', async () => {
    const { slug, direct_url } = await uploaded(target)
    expect((await fetched(direct_url)).status).toBe(200)
    await control.uploads.update(slug, { likes: 3 })
    expect(await show(slug)).toMatchObject({ views: 1, likes: 3 })
  })

  const local = ['2031-01-15T14:00:00+02:00', '2031-07-15T15:00:00+03:00']

  fact('silence 17: times are in Bucharest’s zone, in whole seconds', local, async () => {
    const seen: string[] = []
    for (const now of ['2031-01-15T12:00:00.999Z', '2031-07-15T12:00:00.999Z']) {
      await control.clock.set(now)
      seen.push((await uploaded(target)).created_at)
    }
    return seen
  })

  clause('spec 2.4, silence 27: an account has as many albums as are set, at first none', async () => {
    const { id, account } = createAccount(target)
    expect((await stats(account)).albums).toBe(0)
    control.accounts.update(id, { albums: 2 })
    expect((await stats(account)).albums).toBe(2)
  })

  clause('spec 2.3, silence 28: an account’s views are its uploads’ direct ones and the feed’s', async () => {
    const { account, id, slugs } = await stockedAccount(target, { count: 3 })
    for (const [index, slug] of slugs.entries()) await control.uploads.update(slug, { views: 10 ** index })
    control.accounts.update(id, { feed_views: 1_000 })
    const { url, direct_url, slug } = await show(slugs[0] ?? '', account)
    for (const address of [url, url.replace('/i/', '/e/'), direct_url, `${direct_url}?preview`]) await fetched(address)
    expect(await show(slug, account)).toMatchObject({ views: 4 })
    expect(Number((await stats(account)).total_views)).toBe(1_112)
  })
}

function swapCase(text: string): string {
  const swap = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())
  return [...text].map(swap).join('')
}
