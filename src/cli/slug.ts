import { usageError } from './cli-error.ts'

/**
 * The slug in what a person pastes: the slug itself, or the URL of a file's page, raw file, thumbnail or embed
 * (`…/i/<slug>`, `…/i/<slug>.<extension>`, `…/t/<slug>`, `…/e/<slug>`).
 *
 * @throws CliError where it is neither
 */
export function parseSlug(value: string): string {
  const text = value.trim()
  const slug = /^https?:\/\//i.test(text) ? slugOfUrl(text) : text
  // A dot segment would make the request one for another path.
  if (slug === undefined || !/^[^/?#\s]+$/.test(slug) || /^\.{1,2}$/.test(slug)) {
    throw usageError(
      `${JSON.stringify(value)} is neither a slug nor the address of an uploaded file`,
      'Give the slug, or a URL as fh upload prints it',
    )
  }
  return slug
}

function slugOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const [, kind, segment = ''] = /\/([ite])\/([^/]+)\/?$/.exec(new URL(text).pathname) ?? []
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
