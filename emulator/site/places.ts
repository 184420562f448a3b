import type { HttpResponse } from '../http.ts'
import { keyPlaces } from './actions/key.ts'
import { landingPlaces } from './actions/landing.ts'
import { signInPlaces } from './actions/sign-in.ts'
import { uploadPlace } from './actions/upload.ts'
import { filePlaces } from './actions/uploads.ts'
import { assetReply } from './assets.ts'
import { tokenField } from './forms/form-tokens.ts'
import { acceptsForm, formOrigin, readForm } from './forms/sent-form.ts'
import { refusalPage } from './pages/errors.ts'
import type { Place, Visit } from './place.ts'
import type { PlaceName, SiteRoute } from './site-routes.ts'
import { createVisitors, type SiteContext, type SiteRequest } from './visitor.ts'

const places: Readonly<Record<PlaceName, Place>> = {
  ...landingPlaces,
  ...signInPlaces,
  ...keyPlaces,
  ...filePlaces,
  upload: uploadPlace,
}

/** Answers what is no file: a page, a form, or the refusal of a file. */
export function createPages(site: SiteContext) {
  const visitorOf = createVisitors(site)
  return async (route: SiteRoute, asked: SiteRequest): Promise<HttpResponse> => {
    const visitor = visitorOf(asked)
    if (route.page === 'place') return answerPlace(route.place, { visitor, parameter: route.parameter }, site)
    const isRead = /^(GET|HEAD)$/.test(asked.request.method)
    if (!isRead) return refusalPage(visitor, 'methodNotAllowed', 'GET, HEAD')
    const asset = route.page === 'asset' ? assetReply(route.name) : undefined
    return asset ?? refusalPage(visitor, 'notFound')
  }
}

async function answerPlace(name: PlaceName, visit: Visit, site: SiteContext): Promise<HttpResponse> {
  const { visitor } = visit
  const place = places[name]
  const { method } = visitor.request
  if (place.get !== undefined && /^(GET|HEAD)$/.test(method)) return place.get(visit, site)
  const isTaken = place.post !== undefined || place.receive !== undefined
  if (!isTaken || method !== 'POST') return refusalPage(visitor, 'methodNotAllowed', methodsOf(place))

  const origin = formOrigin(visitor.request, visitor.origin)
  if (origin === 'foreign') return refusalPage(visitor, 'foreignForm')
  // A form may take long to arrive, and its session end meanwhile.
  const isOver = () => visitor.session !== undefined && !site.service.sessions.isOpen(visitor.session)
  const accepts = (token: string | undefined) => !isOver() && acceptsForm(origin, token, visitor.isFormToken)
  if (place.receive !== undefined) return place.receive({ ...visit, accepts }, site)
  const form = await readForm(visitor.request)
  if (place.post === undefined || form === undefined) return refusalPage(visitor, 'unreadableForm')
  return accepts(form.get(tokenField) ?? undefined)
    ? place.post({ ...visit, form }, site)
    : refusalPage(visitor, 'expiredForm')
}

function methodsOf({ get, post, receive }: Place): string {
  return [get && 'GET, HEAD', (post ?? receive) && 'POST'].filter((methods) => methods !== undefined).join(', ')
}
