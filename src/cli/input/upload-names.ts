import { type Client, NotFoundError, type Upload } from '../../index.ts'
import { isBelow } from '../config/key-address.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import type { UploadName } from './slug.ts'

/** The account to look in. */
export interface Owner {
  readonly baseUrl: string
  readonly client: Pick<Client, 'show'>
  readonly signal: AbortSignal
}

/**
 * The upload of a slug or URL. A URL outside the base URL, as of the website or a file store, must be one of the upload's
 * own addresses: the same slug elsewhere is another file.
 *
 * @throws CliError of code `usage` if the URL belongs to another service
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
 * Looks up the uploads named by URLs outside the base URL, for one unit each, before a command changes anything.
 * @returns uploads by slug
 * @throws CliError of code `usage` if a URL belongs to another service
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

/** The slugs, without duplicates. */
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
  return usageError(
    `${url} is not the address of an upload at ${baseUrl}`,
    'Give a URL as fh upload prints it, or the slug',
  )
}
