import { type HttpReply, unrouted } from '../http-types.ts'
import { assetReply } from './assets.ts'
import { refusalPage } from './pages/errors.ts'
import { answerPlace } from './places.ts'
import type { SiteRoute } from './site-routes.ts'
import { createVisitors, type SiteContext, type SiteRequest } from './visitor.ts'

/** Answers what is no file: a page, a form, or the refusal of a file. */
export function createPages(site: SiteContext) {
  const visitorOf = createVisitors(site)
  return async (route: SiteRoute, asked: SiteRequest): Promise<HttpReply> => {
    const visitor = visitorOf(asked)
    if (route.page === 'place') return answerPlace(route.place, { visitor, parameter: route.parameter }, site)
    const isRead = /^(GET|HEAD)$/.test(asked.request.method)
    if (!isRead) return refusalPage(visitor, 'methodNotAllowed', 'GET, HEAD')
    const asset = route.page === 'asset' ? assetReply(route.name) : undefined
    const reply = asset ?? refusalPage(visitor, 'notFound')
    return route.page === 'none' ? { ...reply, headers: { ...reply.headers, ...unrouted } } : reply
  }
}
