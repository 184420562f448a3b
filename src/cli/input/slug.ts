import { usageError } from '../failures/cli-error.ts'

/** An upload as the user names it. */
export interface UploadName {
  readonly slug: string
  /** Set if the user gave a URL. */
  readonly url?: URL
}

/**
 * Reads a slug, or the URL of a file's page, raw file, thumbnail or embed
 * (`…/i/<slug>`, `…/i/<slug>.<extension>`, `…/t/<slug>`, `…/e/<slug>`).
 *
 * @throws CliError if it is neither
 */
export function parseUploadName(value: string): UploadName {
  const text = value.trim()
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  const slug = url === undefined ? text : slugOfUrl(url)
  // A dot segment would change the path of the request.
  if (slug === undefined || !/^[^/?#\s]+$/.test(slug) || /^\.{1,2}$/.test(slug)) {
    throw usageError(
      `${JSON.stringify(value)} is neither a slug nor the address of an uploaded file`,
      'Give the slug, or a URL as fh upload prints it',
    )
  }
  return { slug, ...(url && { url }) }
}

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
