import { type HttpReply, type HttpRequest, headerOf } from '../../http-types.ts'
import type { Route } from '../api-routes.ts'
import { upperCased } from '../request/php-variables.ts'

/** Any web page may read the API's replies, but not their rate-limit headers. */
export const openToAllPages = { 'Access-Control-Allow-Origin': '*' }

/**
 * Answers OPTIONS without a key: a browser's preflight for any path, otherwise the allowed methods of a known path.
 * @returns undefined for other methods and unknown paths
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
