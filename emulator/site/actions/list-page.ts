import type { Visitor } from '../visitor.ts'

const perPage = 50

/** The page that the address asks for; 1 if it asks for none or for nonsense. */
export function askedPage({ query }: Visitor): number {
  const text = String(query.values.get('page') ?? '')
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1
}

type ListPage<Slice> = Slice & { readonly page: number; readonly lastPage: number }

/** The asked page, or the last one if there are fewer. */
export function pageOf<Slice extends { readonly total: number }>(
  asked: number,
  read: (page: number, perPage: number) => Slice,
): ListPage<Slice> {
  const slice = read(asked, perPage)
  const lastPage = Math.max(Math.ceil(slice.total / perPage), 1)
  return asked <= lastPage
    ? { ...slice, page: asked, lastPage }
    : { ...read(lastPage, perPage), page: lastPage, lastPage }
}

/** A page of what is in memory. */
export function pageOfList<Item>(
  asked: number,
  items: readonly Item[],
): ListPage<{ readonly items: readonly Item[]; readonly total: number }> {
  return pageOf(asked, (page, count) => ({ items: items.slice((page - 1) * count, page * count), total: items.length }))
}
