import { rateHeaders } from '../../../src/protocol/rate-limits.ts'
import { type HttpReply, type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Route } from '../api-routes.ts'
import { upperCased } from '../request/php-variables.ts'

const anyPage = { 'Access-Control-Allow-Origin': '*' }

/** What the pages of each setting may read: browsers hide all other headers from scripts. */
const access: Readonly<Record<Settings['cors'], HttpReply['headers']>> = {
  open: anyPage,
  expose: { ...anyPage, 'Access-Control-Expose-Headers': Object.values(rateHeaders).join(', ') },
  off: {},
}

/** The headers by which a browser lets the scripts of other sites read a reply of the API. */
export function pageAccess({ cors }: Settings): HttpReply['headers'] {
  return access[cors]
}

/**
 * Answers OPTIONS without a key: a browser's preflight for any path, otherwise the allowed methods of a known path.
 * @returns undefined for other methods and unknown paths
 */
export function optionsReply(
  request: HttpRequest,
  route: Route | undefined,
  cors: Settings['cors'],
): HttpReply | undefined {
  if (request.method !== 'OPTIONS') return undefined
  const asked = headerOf(request, 'access-control-request-method')
  const isPreflight = asked !== undefined && headerOf(request, 'origin') !== undefined
  if (isPreflight && cors !== 'off') return preflightReply(request, asked)
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
      ...(asksForLocalNetwork(request) ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
      'Access-Control-Max-Age': '0',
      Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  }
}

/** Chromium asks this before a page of a public address may call an address of this machine. */
function asksForLocalNetwork(request: HttpRequest): boolean {
  return headerOf(request, 'access-control-request-private-network') === 'true'
}
