import { type Client, NotFoundError, type Upload } from '../../index.ts'

/** Up to this number, uploads are looked up one by one: the list may cost more if they are old. */
const FEW = 5

type Lookups = Pick<Client, 'list' | 'show'>

/** By slug: the upload, or the error of the service that there is none. */
export type LookedUp = ReadonlyMap<string, Upload | NotFoundError>

/**
 * Looks uploads up: a few one by one, for a unit each; many in the list, for a unit per page of 50, while fewer pages
 * than uploads are left.
 *
 * @param known uploads that have been looked up already, by slug
 * @throws FileHostError if a lookup fails for any other reason than 404
 */
export async function findUploads(
  slugs: readonly string[],
  client: Lookups,
  signal: AbortSignal,
  known: ReadonlyMap<string, Upload> = new Map(),
): Promise<LookedUp> {
  const listed = slugs.length > FEW ? await findInList(slugs, client, signal) : new Map<string, Upload>()
  const found = new Map<string, Upload | NotFoundError>()
  for (const slug of slugs) {
    found.set(slug, known.get(slug) ?? listed.get(slug) ?? (await lookUp(slug, client, signal)))
  }
  return found
}

async function findInList(
  slugs: readonly string[],
  client: Lookups,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Upload>> {
  const wanted = new Set(slugs)
  const found = new Map<string, Upload>()
  let pagesLeft = 1
  // The page limit also ends the search if the service keeps adding pages.
  for (let page = 1; pagesLeft > 0 && wanted.size > pagesLeft && page <= slugs.length; page += 1) {
    const { data, last_page } = await client.list({ page, signal })
    for (const upload of data) if (wanted.delete(upload.slug)) found.set(upload.slug, upload)
    pagesLeft = last_page - page
  }
  return found
}

/** Also used for uploads missing from the list, since uploads can move between pages while it is read. */
async function lookUp(slug: string, client: Lookups, signal: AbortSignal): Promise<Upload | NotFoundError> {
  try {
    return await client.show(slug, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return error
    throw error
  }
}
