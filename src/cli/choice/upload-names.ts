import { type Client, NotFoundError, type Upload } from '../../index.ts'
import { withoutTrailingSlashes } from '../../internal.ts'
import { isBelow } from '../config/api-key.ts'
import { usageError } from '../failures/cli-error.ts'

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
  const message = `${url} is not the address of an upload at ${baseUrl}`
  throw usageError(message, 'Give a URL as fh upload prints it, or the slug')
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

export function slugsOf(names: readonly UploadName[]): readonly string[] {
  return [...new Set(names.map(({ slug }) => slug))]
}

function isAddressOf({ url, direct_url, thumb_url }: Upload, asked: URL): boolean {
  return [url, direct_url, thumb_url].some((address) => placeOf(URL.parse(address ?? '')) === placeOf(asked))
}

function placeOf(url: URL | null): string | undefined {
  return url === null ? undefined : `${url.host}${withoutTrailingSlashes(url.pathname)}`
}

/** An upload as the user names it. */
export interface UploadName {
  readonly slug: string
  /** Set if the user gave a URL. */
  readonly url?: URL
}

/**
 * Reads a slug, or the URL of a file's page, raw file, thumbnail or embed
 * (`…/i/<slug>`, `…/i/<slug>.<extension>`, `…/t/<slug>`, `…/e/<slug>`), or both as `fh list -q` prints them.
 *
 * @throws CliError if it is neither
 */
export function parseUploadName(value: string): UploadName {
  const text = value.trim().replace(/^(\S+)\t\S+$/, '$1')
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  const slug = url === null ? text : slugOfUrl(url)
  // A dot segment would change the path of the request.
  if (slug === undefined || !/^[^/?#\s]+$/.test(slug) || /^\.{1,2}$/.test(slug)) {
    throw usageError(
      `${JSON.stringify(value)} is neither a slug nor the address of an uploaded file`,
      'Give the slug, or a URL as fh upload prints it',
    )
  }
  return { slug, ...(url && { url }) }
}

/** The slug in the address of a file's page, raw file, thumbnail or embed; undefined for other addresses. */
export function slugOfUrl({ pathname }: URL): string | undefined {
  const [, kind, segment = ''] = /\/([ite])\/([^/]+)\/?$/.exec(pathname) ?? []
  const slug = decoded(segment)
  return kind === 'i' ? slug?.replace(/(?<=.)\.[^.]*$/, '') : slug
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined
  } catch {
    return undefined
  }
}
