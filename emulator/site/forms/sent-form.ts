import { type HttpRequest, receiveWhole } from '../../http.ts'

export type FormFields = Pick<URLSearchParams, 'get' | 'getAll' | 'has'>

/** Larger than any form of the site without a file. */
const mostBytes = 262_144

/**
 * Reads a form without files, sent as browsers send it.
 * @returns undefined if it is of another kind or larger than any of the site's
 */
export async function readForm(request: HttpRequest): Promise<FormFields | undefined> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return undefined
  const body = await receiveWhole(request, mostBytes)
  return body && new URLSearchParams(body.toString())
}

/** What the browser says of the page that a form was sent from. */
export type FormOrigin = 'own' | 'foreign' | 'unsaid'

/**
 * Where a form was sent from. `SameSite` keeps no ports apart, so a page of any other program on this machine could send
 * the session's cookie.
 * @param ownOrigin the origin under which browsers see the site
 */
export function formOrigin(request: HttpRequest, ownOrigin: string): FormOrigin {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign'
  const origin = request.headers['origin']
  if (origin !== undefined) return origin === ownOrigin ? 'own' : 'foreign'
  return 'unsaid'
}

/**
 * Whether a form that is not foreign may change something. If the browser says nothing, its token decides. A wrong token
 * is refused in any case: the form's session has ended, or the token is made up.
 * @param token undefined if the form has none
 */
export function acceptsForm(
  origin: Exclude<FormOrigin, 'foreign'>,
  token: string | undefined,
  isValid: (token: string) => boolean,
): boolean {
  return token === undefined ? origin === 'own' : isValid(token)
}
