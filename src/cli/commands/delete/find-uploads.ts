import { type Client, NotFoundError, type Upload } from '../../../index.ts'

/** So few are asked for one by one: the list would hardly be cheaper, and costs more where they are far down. */
const FEW = 5

type Lookups = Pick<Client, 'list' | 'show'>

/** What there is under each slug, or that nothing is. */
export type Found = ReadonlyMap<string, Upload | NotFoundError>

/**
 * Looks uploads up: a few with a unit each; many in the list, a unit for each page of 50, as long as pages left are fewer
 * than uploads left.
 *
 * @param known those that have been looked up already
 * @throws FileHostError where it cannot be told what there is
 */
export async function findUploads(
  slugs: readonly string[],
  client: Lookups,
  signal: AbortSignal,
  known: ReadonlyMap<string, Upload> = new Map(),
): Promise<Found> {
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
  // A service that always has one page more is not followed for longer than asking for each would take.
  for (let page = 1; pagesLeft > 0 && wanted.size > pagesLeft && page <= slugs.length; page += 1) {
    const { data, last_page } = await client.list({ page, signal })
    for (const upload of data) if (wanted.delete(upload.slug)) found.set(upload.slug, upload)
    pagesLeft = last_page - page
  }
  return found
}

/** What is not in the list is asked for all the same: uploads move between pages while these are read. */
async function lookUp(slug: string, client: Lookups, signal: AbortSignal): Promise<Upload | NotFoundError> {
  try {
    return await client.show(slug, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return error
    throw error
  }
}
