import type { HttpReply } from '../http-types.ts'
import { allowlistPlace, keyPlace } from './actions/key.ts'
import { languagePlace } from './actions/language.ts'
import { loginPlace, logoutPlace } from './actions/sign-in.ts'
import { embedPlace, filePlace } from './actions/uploads.ts'
import { readForm } from './forms/form-body.ts'
import { acceptsForm, formOrigin } from './forms/form-judge.ts'
import { type FormTokens, tokenField } from './forms/form-tokens.ts'
import { refusalPage } from './pages/errors.ts'
import { landingPage } from './pages/landing.ts'
import type { Place, SiteParts, Visit } from './place.ts'
import type { PlaceName } from './site-routes.ts'

/** What is at each path of the site. */
const places: Readonly<Record<PlaceName, Place>> = {
  landing: { get: ({ visitor }, { settings }) => landingPage(visitor, settings.current.max_file_size) },
  login: loginPlace,
  logout: logoutPlace,
  language: languagePlace,
  key: keyPlace,
  allowlist: allowlistPlace,
  file: filePlace,
  embed: embedPlace,
}

/** A request for a place of the site. */
export interface PlaceVisit extends Visit {
  readonly place: PlaceName
}

/** Answers a page or a form of the site. */
export async function answerPlace(visit: PlaceVisit, site: SiteParts, tokens: FormTokens): Promise<HttpReply> {
  const { visitor } = visit
  const place = places[visit.place]
  const { method } = visitor.request
  if (place.get !== undefined && /^(GET|HEAD)$/.test(method)) return place.get(visit, site)
  if (place.post === undefined || method !== 'POST') return refusalPage(visitor, 'method-not-allowed', methodsOf(place))

  const origin = formOrigin(visitor.request, visitor.origin)
  if (origin === 'foreign') return refusalPage(visitor, 'foreign-form')
  const form = await readForm(visitor.request)
  if (form === undefined) return refusalPage(visitor, 'unreadable-form')
  const isValid = (token: string) => tokens.isValid(token, visitor.session)
  const isAccepted = acceptsForm(origin, form.get(tokenField) ?? undefined, isValid)
  return isAccepted ? place.post({ ...visit, form }, site) : refusalPage(visitor, 'expired-form')
}

function methodsOf({ get, post }: Place): string {
  return [get && 'GET, HEAD', post && 'POST'].filter((methods) => methods !== undefined).join(', ')
}
