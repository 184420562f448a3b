import type { UploadRecord } from '../storage/record-types.ts'
import type { SignedIn, SiteContext } from './visitor.ts'

const perPage = 50

export interface ListPage {
  readonly items: readonly UploadRecord[]
  /** On all pages. */
  readonly total: number
  readonly page: number
  readonly lastPage: number
}

/** The page of the account's files that the address asks for, or the last one if there are fewer; the first for nonsense. */
export function pageOfUploads(visitor: SignedIn, { service }: SiteContext): ListPage {
  const text = String(visitor.query.values.get('page') ?? '')
  const asked = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1
  const read = (page: number) => service.uploads.page(visitor.session.accountId, page, perPage)
  const slice = read(asked)
  const lastPage = Math.max(Math.ceil(slice.total / perPage), 1)
  const page = Math.min(asked, lastPage)
  const { uploads: items, total } = page === asked ? slice : read(page)
  return { items, total, page, lastPage }
}
