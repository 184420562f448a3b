import type { HttpResponse } from '../http.ts'
import type { FormFields } from './forms/sent-form.ts'
import type { Html } from './html/html.ts'
import { noteField } from './notes.ts'
import { findSiteRoute, type PlaceName, placePath } from './site-routes.ts'
import { isSignedIn, type SignedIn, type SiteContext, type Visitor } from './visitor.ts'

/** What is at one path of the site; `Who` is the kind of visitor it admits. */
export interface Place<Who extends Visitor = Visitor> {
  /** Shows the page; also answers a HEAD. */
  get?(visit: Visit<Who>, site: SiteContext): HttpResponse | Promise<HttpResponse>
  /**
   * Does what a form asks; the form's origin and token are judged before. A form that has to be corrected is shown again
   * with status 200: browsers report others on their console as resources that failed.
   */
  post?(visit: Visit<Who> & WithForm, site: SiteContext): HttpResponse | Promise<HttpResponse>
  /** Takes a form with files as it arrives; only its origin is judged before. */
  receive?(visit: Visit<Who> & WithJudge, site: SiteContext): HttpResponse | Promise<HttpResponse>
}

export interface Visit<Who extends Visitor = Visitor> {
  readonly visitor: Who
  /** The slug in the path; empty if it has none. */
  readonly parameter: string
}

interface WithJudge {
  /** @param token undefined if the form has none */
  accepts(token: string | undefined): boolean
}

interface WithForm {
  readonly form: FormFields
}

/** A place for visitors who are signed in; it leads others to sign in and back. */
export function forAccounts({ get, post }: Place<SignedIn>): Place {
  return {
    ...(get && { get: onlyFor(get) }),
    ...(post && { post: onlyFor(post) }),
  }
}

function onlyFor<More>(
  act: (visit: Visit<SignedIn> & More, site: SiteContext) => HttpResponse | Promise<HttpResponse>,
) {
  return (visit: Visit & More, site: SiteContext) =>
    isSignedIn(visit.visitor) ? act({ ...visit, visitor: visit.visitor }, site) : toSignIn(visit.visitor)
}

function toSignIn(visitor: Visitor): HttpResponse {
  return redirect(visitor, { place: 'login', query: { [fromField]: visitor.path } })
}

export interface Destination {
  readonly place: PlaceName
  readonly parameter?: string
  readonly query?: Readonly<Record<string, string>>
  /** What the page says, once. */
  readonly notice?: Html
}

/** Sends the visitor to another page by GET, so that reloading it sends no form again. */
export function redirect(visitor: Visitor, to: Destination, headers: HttpResponse['headers'] = {}): HttpResponse {
  const { place, parameter, query = {}, notice } = to
  const search = new URLSearchParams({
    ...query,
    ...(notice !== undefined && { [noteField]: visitor.leave(notice) }),
  }).toString()
  const location = `${visitor.root}${placePath(place, parameter)}${search && `?${search}`}`
  return { status: 303, headers: { Location: location, 'Cache-Control': 'no-store', ...headers }, body: '' }
}

/** The field of a form and the query that name the page to come back to. */
export const fromField = 'from'

/** The place that a form's path names. The redirect writes the place's own path: no text of a stranger gets into a header. */
export function placeToReturnTo(path: string | null): Destination {
  const route = findSiteRoute(`/${path ?? ''}`)
  const isKnown = route?.page === 'place' && /^[\w-]*$/.test(route.parameter)
  return isKnown ? { place: route.place, parameter: route.parameter } : { place: 'landing' }
}
