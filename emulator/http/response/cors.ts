import { type HttpReply, type HttpRequest, headerOf } from '../../http-types.ts'
import type { Route } from '../api-routes.ts'
import { upperCased } from '../ascii.ts'

/** Every answer of the API may be read by any web page, though not its rate-limit headers. */
export const openToAllPages = { 'Access-Control-Allow-Origin': '*' }

/**
 * Answers OPTIONS before anybody asks for a key: a browser's preflight everywhere, otherwise what a known path allows.
 * @returns undefined where the request has to go its usual way
 */
export function optionsReply(request: HttpRequest, route: Route | undefined): HttpReply | undefined {
  if (request.method !== 'OPTIONS') return undefined
  const asked = headerOf(request, 'access-control-request-method')
  if (asked !== undefined && headerOf(request, 'origin') !== undefined) return preflightReply(request, asked)
  if (route === undefined) return undefined
  const headers = {
    Allow: route.allowed.join(','),
    'Content-Type': 'text/html; charset=utf-8',
    Vary: 'Access-Control-Request-Method',
  }
  return { status: 200, headers, body: '' }
}

function preflightReply(request: HttpRequest, method: string): HttpReply {
  const askedHeaders = headerOf(request, 'access-control-request-headers')
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': upperCased(method),
      ...(askedHeaders === undefined ? {} : { 'Access-Control-Allow-Headers': askedHeaders }),
      'Access-Control-Max-Age': '0',
      Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  }
}
