import { type Client, NotFoundError, type Upload } from '../../index.ts'
import { isBelow } from '../config/same-service.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import type { UploadName } from './slug.ts'

/** Whose uploads they are. */
export interface Owner {
  readonly baseUrl: string
  readonly client: Pick<Client, 'show'>
  readonly signal: AbortSignal
}

/**
 * The upload that is named. A URL counts under the base URL; one of another host, as of a site or a store of files, only
 * where the service gives the upload that very address: the same slug elsewhere is another file.
 *
 * @throws CliError of code `usage` where the URL is another service's
 */
export async function findNamed({ slug, url }: UploadName, { baseUrl, client, signal }: Owner): Promise<Upload> {
  if (url === undefined || isBelow(url, baseUrl)) return await client.show(slug, { signal })
  try {
    const upload = await client.show(slug, { signal })
    if (isAddressOf(upload, url)) return upload
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
  throw foreign(url, baseUrl)
}

/**
 * Looks up those that are named by URLs of other hosts, a unit each, before anything is done to one of them.
 * @returns them by their slugs
 * @throws CliError of code `usage` where one is another service's
 */
export async function findForeign(names: readonly UploadName[], owner: Owner): Promise<ReadonlyMap<string, Upload>> {
  const found = new Map<string, Upload>()
  for (const name of names) {
    if (name.url === undefined || isBelow(name.url, owner.baseUrl)) continue
    const known = found.get(name.slug)
    if (known !== undefined && isAddressOf(known, name.url)) continue
    found.set(name.slug, await findNamed(name, owner))
  }
  return found
}

/** Each slug that is named, once. */
export function slugsOf(names: readonly UploadName[]): readonly string[] {
  return [...new Set(names.map(({ slug }) => slug))]
}

function isAddressOf({ url, direct_url, thumb_url }: Upload, asked: URL): boolean {
  return [url, direct_url, thumb_url].some(
    (address) => address !== null && URL.canParse(address) && placeOf(new URL(address)) === placeOf(asked),
  )
}

function placeOf({ host, pathname }: URL): string {
  return `${host}${pathname.replace(/(?<!\/)\/+$/, '')}`
}

function foreign(url: URL, baseUrl: string): CliError {
  return usageError(`${url} is no address of an upload at ${baseUrl}`, 'Give a URL as fh upload prints it, or the slug')
}
