/** The pages and forms of the site by their paths; `{}` stands for a slug. */
const placePaths = {
  landing: '/',
  login: '/login',
  logout: '/logout',
  language: '/language',
  key: '/cont/cheie-api',
  allowlist: '/cont/cheie-api/allowlist',
  upload: '/upload',
  file: '/i/{}',
  fileTitle: '/i/{}/title',
  fileDelete: '/i/{}/delete',
  embed: '/e/{}',
} as const

export type PlaceName = keyof typeof placePaths

export type SiteRoute =
  | { readonly page: 'place'; readonly place: PlaceName; readonly parameter: string }
  | { readonly page: 'thumbnail'; readonly slug: string }
  | { readonly page: 'raw'; readonly slug: string; readonly extension: string }
  | { readonly page: 'asset'; readonly name: string }
  /** Nothing, asked for by a browser. */
  | { readonly page: 'none' }

const rawFile = /^\/i\/([^/.]+)\.([^/]+)$/
const thumbnail = /^\/t\/([^/.]+)$/
const asset = /^\/assets\/([^/]+)$/

/** Finds the route of a decoded path; undefined if the website has none. */
export function findSiteRoute(decodedPath: string): SiteRoute | undefined {
  const [, rawSlug, extension] = rawFile.exec(decodedPath) ?? []
  if (rawSlug !== undefined && extension !== undefined) return { page: 'raw', slug: rawSlug, extension }
  const [, slug] = thumbnail.exec(decodedPath) ?? []
  if (slug !== undefined) return { page: 'thumbnail', slug }
  const [, name] = asset.exec(decodedPath) ?? []
  if (name !== undefined) return { page: 'asset', name }
  for (const { place, pattern } of patterns) {
    const found = pattern.exec(decodedPath)
    if (found !== null) return { page: 'place', place, parameter: found[1] ?? '' }
  }
  return undefined
}

/** The path of a place below the site's home, without a slash at its start. */
export function placePath(place: PlaceName, parameter = ''): string {
  return placePaths[place].slice(1).replace('{}', parameter)
}

/** The slug of a place has no dot, because raw files have one. */
const patterns = Object.entries(placePaths).map(([place, path]) => ({
  place: place as PlaceName,
  pattern: new RegExp(`^${path.replace('{}', '([^./]+)')}$`),
}))
