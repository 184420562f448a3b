import { clientAddress } from '../http/request/addresses.ts'
import { type HttpRequest, isLooking, unrouted } from '../http-types.ts'
import { assetReply } from './assets.ts'
import { createCookies } from './cookies.ts'
import { createFormTokens } from './forms/form-tokens.ts'
import { createNotes, noteField } from './notes.ts'
import { refusalPage } from './pages/errors.ts'
import { answerPlace } from './places.ts'
import type { Pages, SiteContext } from './site-visit.ts'
import { isOfThisMachine, type OpenSession, spokenLanguage, textsOf, type Visitor } from './visitor.ts'

export function createPages({ service, settings, clock, siteUrl, isDurable }: SiteContext): Pages {
  const siteOrigin = siteUrl === undefined ? undefined : new URL(siteUrl).origin
  const originOf = (request: HttpRequest) => siteOrigin ?? request.origin
  const cookies = createCookies({ originOf, isDurable })
  const tokens = createFormTokens(service.formSecret)
  const notes = createNotes()
  const site = { service, settings, cookies }

  const sessionOf = (request: HttpRequest): OpenSession | undefined => {
    const session = service.sessions.find(cookies.session(request) ?? '')
    return session && { ...session, account: service.accounts.get(session.accountId) }
  }

  const visitorOf = ({ request, query, path }: Pick<Parameters<Pages>[0], 'request' | 'query' | 'path'>): Visitor => {
    const language = spokenLanguage(cookies.language(request), request)
    const session = sessionOf(request)
    return {
      request,
      query,
      path: path.slice(1),
      root: '../'.repeat(path.split('/').length - 2) || './',
      origin: originOf(request),
      isOfThisMachine: isOfThisMachine(request),
      address: clientAddress(request, settings.current),
      home: siteUrl ?? request.origin,
      language,
      say: textsOf(language),
      session,
      now: clock.now(),
      timezone: settings.current.timezone,
      isLooking: isLooking(request),
      note: isLooking(request) ? notes.take(String(query.values.get(noteField) ?? '')) : undefined,
      formToken: () => tokens.issue(session),
      leave: notes.leave,
    }
  }

  return async ({ route, ...visit }) => {
    const visitor = visitorOf(visit)
    if (route.page === 'place') {
      return answerPlace({ visitor, place: route.place, parameter: route.parameter }, site, tokens)
    }
    const isRead = /^(GET|HEAD)$/.test(visit.request.method)
    if (!isRead) return refusalPage(visitor, 'methodNotAllowed', 'GET, HEAD')
    const asset = route.page === 'asset' ? assetReply(route.name) : undefined
    const reply = asset ?? refusalPage(visitor, 'notFound')
    return route.page === 'none' ? { ...reply, headers: { ...reply.headers, ...unrouted } } : reply
  }
}
