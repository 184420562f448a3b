import type { UploadRecord } from '../storage/record-types.ts'
import type { SignedIn, SiteContext, Visitor } from './visitor.ts'

const perPage = 50

export interface ListPage<Item> {
  readonly items: readonly Item[]
  /** On all pages. */
  readonly total: number
  readonly page: number
  readonly lastPage: number
}

/** The page of a list that the address asks for, or the last one if there are fewer; the first for nonsense. */
function pageOf<Item>(
  { query }: Visitor,
  read: (page: number, perPage: number) => Pick<ListPage<Item>, 'items' | 'total'>,
): ListPage<Item> {
  const text = String(query.values.get('page') ?? '')
  const asked = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1
  const slice = read(asked, perPage)
  const lastPage = Math.max(Math.ceil(slice.total / perPage), 1)
  return asked <= lastPage
    ? { ...slice, page: asked, lastPage }
    : { ...read(lastPage, perPage), page: lastPage, lastPage }
}

export function pageOfList<Item>(visitor: Visitor, items: readonly Item[]): ListPage<Item> {
  const { length: total } = items
  return pageOf(visitor, (page, count) => ({ items: items.slice((page - 1) * count, page * count), total }))
}

export function pageOfUploads(visitor: SignedIn, { service }: SiteContext): ListPage<UploadRecord> {
  return pageOf(visitor, (page, count) => {
    const { uploads: items, total } = service.uploads.page(visitor.session.accountId, page, count)
    return { items, total }
  })
}
