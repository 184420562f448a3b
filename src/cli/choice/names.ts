import { withoutTrailingSlashes } from '../../client/base-url.ts'
import { NotFoundError } from '../../client/errors.ts'
import type { Client, Upload } from '../../index.ts'
import { isBelow } from '../config/credentials.ts'
import { usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'

/** An upload as the user names it. */
export interface UploadName {
  readonly slug: string
  /** Set if the user gave a URL. */
  readonly url?: URL
}

const examples = 'aB3dE6gH9j, or the link that fh upload prints'

/**
 * Reads a slug, or the URL of a file's page, raw file, thumbnail or embed
 * (`…/i/<slug>`, `…/i/<slug>.<extension>`, `…/t/<slug>`, `…/e/<slug>`), or what stands before the first tab of a line
 * of `fh list`.
 *
 * @throws CliError if it is neither
 */
export function parseUploadName(value: string): UploadName {
  const text = firstColumn(value)
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  const slug = url === null ? text : slugOfUrl(url)
  // A dot segment would change the path of the request.
  if (slug === undefined || !/^[^/?#\s]+$/.test(slug) || /^\.{1,2}$/.test(slug)) {
    throw usageError(
      `${JSON.stringify(value)} is neither a slug nor the address of an uploaded file`,
      hints.writeLike(examples),
    )
  }
  return { slug, ...(url && { url }) }
}

/** What stands before the first tab of a line; empty where a line begins with a tab, as one for an upload without a title. */
export function firstColumn(line: string): string {
  return line
    .trimEnd()
    .replace(/^([^\t\n]*)\t[^\n]*$/, '$1')
    .trim()
}

/** The slug in the address of a file's page, raw file, thumbnail or embed; undefined for other addresses. */
function slugOfUrl({ pathname }: URL): string | undefined {
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

/**
 * Looks up the uploads named by URLs outside the base URL, as of the website or a file store, for one unit each, before a
 * command changes anything. Such a URL must be one of the upload's own addresses: the same slug elsewhere is another file.
 *
 * @returns uploads by slug
 * @throws CliError of code `usage` if a URL belongs to another service
 */
export async function findForeign(
  names: readonly UploadName[],
  { baseUrl, client, signal }: { readonly baseUrl: string; readonly client: Lookups; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Upload>> {
  const found = new Map<string, Upload>()
  for (const { slug, url } of names) {
    if (url === undefined || isBelow(url, baseUrl)) continue
    const upload = found.get(slug) ?? (await lookUp(slug, client, signal))
    if (upload instanceof NotFoundError || !isAddressOf(upload, url)) {
      const message = `${url} is not the address of an upload at ${baseUrl}`
      throw usageError(message, hints.writeLike(examples))
    }
    found.set(slug, upload)
  }
  return found
}

export function slugsOf(names: readonly UploadName[]): readonly string[] {
  return [...new Set(names.map(({ slug }) => slug))]
}

function isAddressOf({ url, direct_url, thumb_url }: Upload, asked: URL): boolean {
  const placeOf = (place: URL | null) => place && `${place.host}${withoutTrailingSlashes(place.pathname)}`
  return [url, direct_url, thumb_url].some((address) => placeOf(URL.parse(address ?? '')) === placeOf(asked))
}

type Lookups = Pick<Client, 'show'>

/** By slug: the upload, or the error of the service that there is none. */
export type LookedUp = ReadonlyMap<string, Upload | NotFoundError>

/**
 * Looks uploads up, for a unit each.
 * @param known uploads that have been looked up already, by slug
 * @throws FileHostError if a lookup fails for any other reason than 404
 */
export async function findUploads(
  slugs: readonly string[],
  client: Lookups,
  signal: AbortSignal,
  known: ReadonlyMap<string, Upload> = new Map(),
): Promise<LookedUp> {
  const found = new Map<string, Upload | NotFoundError>()
  for (const slug of slugs) found.set(slug, known.get(slug) ?? (await lookUp(slug, client, signal)))
  return found
}

async function lookUp(slug: string, client: Lookups, signal: AbortSignal): Promise<Upload | NotFoundError> {
  try {
    return await client.show(slug, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return error
    throw error
  }
}
