import type { Upload } from '../../../index.ts'
import type { NameOf } from '../../journal/recorded-names.ts'

/** The values of `--sort`; uploads are `created` in the order of the service's list, newest first. */
export const sortKeys = ['created', 'size', 'views', 'name'] as const
export type SortKey = (typeof sortKeys)[number]

export interface SortOrder {
  readonly sort: SortKey
  readonly reverse: boolean
}

/** Newest, largest and most viewed first, names from A to Z; of equal ones the newest first. */
export function sortUploads(uploads: readonly Upload[], order: SortOrder, nameOf: NameOf): readonly Upload[] {
  const { sort, reverse } = order
  if (sort === 'created') return reverse ? uploads.toReversed() : uploads
  if (sort === 'name') return byName(uploads, reverse, nameOf)
  return uploads.toSorted((one, other) => (reverse ? one[sort] - other[sort] : other[sort] - one[sort]))
}

/** In every language alike, `IMG_2` before `IMG_10`. Uploads without a name come last in both orders. */
function byName(uploads: readonly Upload[], reverse: boolean, nameOf: NameOf): readonly Upload[] {
  const { compare } = new Intl.Collator('en', { numeric: true })
  const all = uploads.map((upload) => ({ upload, name: nameOf(upload) }))
  const named = all.flatMap(({ upload, name }) => (name === null ? [] : [{ upload, name }]))
  named.sort((one, other) => (reverse ? compare(other.name, one.name) : compare(one.name, other.name)))
  return [...named, ...all.filter(({ name }) => name === null)].map(({ upload }) => upload)
}
