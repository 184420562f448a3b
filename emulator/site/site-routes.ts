/** What a path of the website leads to. */
export type SiteRoute =
  | { readonly page: 'landing' }
  | { readonly page: 'file' | 'thumbnail' | 'embed'; readonly slug: string }
  | { readonly page: 'raw'; readonly slug: string; readonly extension: string }

const pages = { i: 'file', t: 'thumbnail', e: 'embed' } as const

/** Finds the route of a decoded path; undefined where the website has nothing there. */
export function findSiteRoute(decodedPath: string): SiteRoute | undefined {
  if (decodedPath === '/') return { page: 'landing' }
  const [, place, slug = '', extension] = /^\/([ite])\/([^/.]+)(?:\.([^/]+))?$/.exec(decodedPath) ?? []
  if (place === 'i' && extension !== undefined) return { page: 'raw', slug, extension }
  if (extension !== undefined || !isPlace(place)) return undefined
  return { page: pages[place], slug }
}

function isPlace(place: string | undefined): place is keyof typeof pages {
  return place !== undefined && Object.hasOwn(pages, place)
}
