import { expect } from 'vitest'
import { createAccount, stockedAccount } from '../accounts.ts'
import type { Clauses } from '../clauses.ts'
import { call, uploaded } from '../media.ts'
import type { OwnTarget } from '../targets.ts'

/** Choices on spec 2.2 and 4.2: the list. */
export function pageSilences(target: OwnTarget, { clause, fact }: Clauses): void {
  const list = async (account: OwnTarget, query = '') => (await call(account, 'GET', `/api/uploads${query}`)).json
  const slugsOf = async (account: OwnTarget, page: number) =>
    (await list(account, `?page=${page}`)).data.map(({ slug }) => slug)

  fact('silence 20: a link has url, label and active', ['url,label,active'], async () => {
    const { account } = await stockedAccount(target, { count: 51 })
    const names = (await list(account)).links.map((link) => Object.keys(link).join())
    return [...new Set(names)]
  })

  fact(
    'silence 21: the first and last links are labelled « Previous and Next »',
    ['« Previous', 'Next »'],
    async () => {
      const { links } = await list(target)
      return [links[0]?.label, links.at(-1)?.label]
    },
  )

  const pageUrl = [true, '?page=1']

  fact('silence 23, 24: page URLs have the request’s origin and not its query, so not the key', pageUrl, async () => {
    const answer = await target.send('GET', `/api/uploads?api_key=${target.apiKey}&page=1`)
    const { origin, search } = new URL(`${answer.json.first_page_url}`)
    return [origin === target.baseUrl, search.replace(target.apiKey, 'KEY')]
  })

  clause('silence 25: of uploads with the same time, the latest comes first', async () => {
    const { account, slugs } = await stockedAccount(target, { count: 3 })
    expect(await slugsOf(account, 1)).toEqual(slugs.toReversed())
  })

  clause('silence 26: an upload or a deletion shifts the later pages of the list', async () => {
    const { account, slugs } = await stockedAccount(target, { count: 102, interval_seconds: 1 })
    const newestFirst = slugs.toReversed()
    const { slug } = await uploaded(account)
    expect((await slugsOf(account, 2))[0]).toBe(newestFirst[49])
    await call(account, 'DELETE', `/api/uploads/${slug}`)
    await call(account, 'DELETE', `/api/uploads/${newestFirst[0]}`)
    expect((await slugsOf(account, 2))[0]).toBe(newestFirst[51])
  })

  const noPages = ['0', 'abc']
  const firstPage = Object.fromEntries(noPages.map((page) => [page, [200, 1]]))

  fact('silence 48: an invalid page number means page 1', firstPage, async () => {
    const { account } = await stockedAccount(target, { count: 1 })
    const seen: Record<string, unknown> = {}
    for (const page of noPages) {
      const { status, json } = await call(account, 'GET', `/api/uploads?page=${page}`)
      seen[page] = [status, json.current_page ?? json.message]
    }
    return seen
  })

  const beyond = [200, { current_page: 5, data: [], from: null, to: null, last_page: 2, prev: '?page=4', next: null }]

  fact('silence 48, 103: a page beyond the last has empty data', beyond, async () => {
    const { account } = await stockedAccount(target, { count: 51 })
    const { status, json } = await call(account, 'GET', '/api/uploads?page=5')
    if (status !== 200) return [status, json]
    const { current_page, data, from, to, last_page, next_page_url: next } = json
    return [status, { current_page, data, from, to, last_page, prev: new URL(`${json.prev_page_url}`).search, next }]
  })

  clause('silence 103: a list without uploads has null for from and to', async () => {
    const { account } = createAccount(target)
    expect(await list(account)).toMatchObject({ current_page: 1, data: [], from: null, to: null, total: 0 })
  })

  clause('silence 49: page size, order and filters cannot be requested', async () => {
    const { account } = await stockedAccount(target, { count: 51 })
    const asked = await list(account, '?per_page=2&sort=size&filter=jpg')
    expect([asked.per_page, asked.data.length]).toEqual([50, 50])
    expect(asked.data).toEqual((await list(account)).data)
  })
}
