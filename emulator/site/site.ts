import { type HttpRequest, type HttpResponse, wantsPage } from '../http.ts'
import { createPublicFiles } from './files/public-files.ts'
import type { createPages } from './places.ts'
import { findSiteRoute, type SiteRoute } from './site-routes.ts'
import type { SiteContext, SiteRequest } from './visitor.ts'

export interface SiteVisit {
  /** Decoded, below the website's address. */
  readonly path: string
  /** The account of the upload that it shows; null if it shows none. */
  ownerId(): number | null
  /** Counts the view, where the visit is one, and does what a form asks. */
  answer(): HttpResponse | Promise<HttpResponse>
}

/** The part of a request's URL that the website reads. */
interface SiteTarget extends Pick<SiteRequest, 'query'> {
  /** Undefined if the path is not valid UTF-8. */
  readonly decodedPath: string | undefined
}

/**
 * The website: files, pages and forms (spec 1, 2.1). Its requests need no key and do not count as API requests. Pages
 * are loaded when one is first asked for, so that the API, files and the start are as quick as without them.
 */
export function createSite(context: SiteContext) {
  const { service, siteUrl } = context
  const home = siteUrl === undefined ? '' : new URL(siteUrl).pathname.replace(/\/$/, '')
  const files = createPublicFiles(service.publicUploads)
  let pages: Promise<ReturnType<typeof createPages>> | undefined
  const loadPages = () => {
    pages ??= import('./places.ts').then((module) => module.createPages(context))
    return pages
  }

  /** @returns undefined if a page answers instead */
  const fileReply = (route: SiteRoute, request: HttpRequest, query: SiteTarget['query']) => {
    if (!/^(GET|HEAD)$/.test(request.method)) return undefined
    if (route.page === 'raw') return files.raw(route, { request, query })
    return route.page === 'thumbnail' ? files.thumbnail(route.slug, request) : undefined
  }

  /** Reads a website request; undefined if the path is not the website's. */
  return (request: HttpRequest, { decodedPath, query }: SiteTarget): SiteVisit | undefined => {
    if (decodedPath === undefined) return undefined
    const path = decodedPath.startsWith(`${home}/`) ? decodedPath.slice(home.length) : decodedPath
    const route = findSiteRoute(path) ?? (wantsPage(request) ? { page: 'none' as const } : undefined)
    if (route === undefined) return undefined
    return {
      path,
      ownerId: () => service.publicUploads.find(slugOf(route))?.accountId ?? null,
      answer: () =>
        fileReply(route, request, query) ?? loadPages().then((answer) => answer(route, { request, query, path })),
    }
  }
}

function slugOf(route: SiteRoute): string {
  if (route.page === 'place') return route.parameter
  return route.page === 'raw' || route.page === 'thumbnail' ? route.slug : ''
}
