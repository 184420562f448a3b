import { expect } from 'vitest'
import { stockedAccount } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, uploaded, uploadFile } from '../media.ts'
import type { OwnTarget } from '../targets.ts'

/** Choices on spec 3 and 6: the life of an upload. */
export function lifecycleSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const { control } = target.emulator
  const look = async (url: string) => (await target.send('GET', new URL(url).pathname)).status

  fact('silence 31: a new upload is visible at once', { shown: 200, listed: true, file: 200 }, async () => {
    const { slug, direct_url } = (await uploadFile(target)).json.upload
    const shown = (await call(target, 'GET', `/api/uploads/${slug}`)).status
    const { data } = (await call(target, 'GET', '/api/uploads')).json
    return { shown, listed: data.some((upload) => upload.slug === slug), file: await look(direct_url) }
  })

  fact('silence 32: a deleted upload is gone, and deleting it again is answered 404', [200, 404, 404], async () => {
    const { slug } = await uploaded(target)
    await control.clock.advance('1m')
    const path = `/api/uploads/${slug}`
    const statuses = [(await call(target, 'DELETE', path)).status]
    statuses.push((await call(target, 'GET', path)).status, (await call(target, 'DELETE', path)).status)
    await control.clock.advance('1d')
    expect((await uploaded(target)).slug).not.toBe(slug)
    return statuses
  })

  clause('silence 33: the file and thumbnail of a deleted upload are gone at once', async () => {
    const { slug, direct_url, url } = await uploaded(target)
    const { thumb_url } = await control.uploads.update(slug, { thumbnail: 'ready' })
    const links = [url, direct_url, `${thumb_url}`]
    const look3 = async () => [await look(url), await look(direct_url), await look(`${thumb_url}`)]
    expect(await look3()).toEqual(links.map(() => 200))
    await control.clock.advance('1m')
    await call(target, 'DELETE', `/api/uploads/${slug}`)
    expect(await look3()).toEqual(links.map(() => 404))
  })

  clause('silence 35: uploads do not expire', async () => {
    const { account, slugs } = await stockedAccount(target, { count: 1 })
    await control.clock.advance('365d')
    expect((await call(account, 'GET', `/api/uploads/${slugs[0]}`)).status).toBe(200)
  })
}
